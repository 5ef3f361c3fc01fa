"""What made each wait end and each item arrive: wake-ups, locks, tasks, timers."""
