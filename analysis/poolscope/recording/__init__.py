"""Recording: finds the collector and runs it, on a process or on other tools' files."""

from poolscope.recording.collector import find_collector
from poolscope.recording.foreign import PERF_FILES, kernel_events_beside, made_folder, make_capture, place_for, trace_in
from poolscope.recording.look import look_at_dump, look_with
from poolscope.recording.run import Recorded, Target, capture_folder, record
from poolscope.recording.runnable import must_be_runnable

__all__ = [
    "PERF_FILES",
    "Recorded",
    "Target",
    "capture_folder",
    "find_collector",
    "kernel_events_beside",
    "look_at_dump",
    "look_with",
    "made_folder",
    "trace_in",
    "make_capture",
    "must_be_runnable",
    "place_for",
    "record",
]
