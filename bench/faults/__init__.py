"""What happens on bad days: the collector, or what it records, is killed, stopped, or runs out of something."""
