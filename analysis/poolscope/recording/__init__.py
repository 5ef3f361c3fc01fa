"""Recording: finds the collector and runs it."""

from poolscope.recording.collector import find_collector
from poolscope.recording.run import Recorded, Target, capture_folder, record

__all__ = ["Recorded", "Target", "capture_folder", "find_collector", "record"]
