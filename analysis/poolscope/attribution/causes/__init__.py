"""Finds the cause of each item's arrival and of each wait's end: wake-ups, locks, tasks, timers."""
