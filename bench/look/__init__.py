"""The cost of a look for its target, its correctness on a process that changes all the time, and its count of the
queue."""
