using Xunit;

namespace Poolscope.Service.Tests.Live;

/// <summary>Live tests measure time, so they run one after the other, after the quick ones.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class LiveCollection
{
    public const string Name = "live";
}
