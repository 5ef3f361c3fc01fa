"""How much of what happened the capture shows: losses, items without an end, streams that contradict each other."""
