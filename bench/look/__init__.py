"""What a look costs its target, whether it is right on a process that changes all the time, and whether it counts the queue right."""
