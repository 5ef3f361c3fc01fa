using Xunit;

// More than a small machine has cores: live tests wait for other processes most of the time.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
