"""Recording: finds the collector and runs it."""

from poolscope.recording.collector import find_collector
from poolscope.recording.run import Recorded, Target, capture_folder, record
from poolscope.recording.runnable import must_be_runnable

__all__ = ["Recorded", "Target", "capture_folder", "find_collector", "must_be_runnable", "record"]
