using Xunit;

namespace Poolscope.Service.Tests.Live;

/// <summary>Live tests measure time: they run one after the other, when the quick ones are done.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class LiveCollection
{
    public const string Name = "live";
}
