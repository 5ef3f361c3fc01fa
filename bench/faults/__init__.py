"""Faults during a recording: the collector or its target is killed, stopped, or runs out of a resource."""
