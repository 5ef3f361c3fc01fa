using Xunit;

// More threads than a small machine has cores: live tests mostly wait for other processes.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
