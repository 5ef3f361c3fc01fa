"""The causes of each wait's end and each item's arrival: wake-ups, locks, tasks, timers."""
