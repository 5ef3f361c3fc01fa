"""Measures how complete a capture is: losses, items without an end, streams that contradict each other."""
