using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Tests that record this process run alone, because all tests share its one thread pool.</summary>
[CollectionDefinition(nameof(LiveTests), DisableParallelization = true)]
public sealed class LiveTests;
