"""Finds the collector and runs it, on a process or on other tools' files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolscope.recording.collector import find_collector, must_be_runnable
    from poolscope.recording.foreign import (
        PERF_FILES,
        kernel_events_beside,
        made_folder,
        make_capture,
        place_for,
        trace_in,
    )
    from poolscope.recording.run import Recorded, Target, capture_folder, look_at_dump, look_with, record

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

if not TYPE_CHECKING:
    _HOMES = {
        "collector": ("find_collector", "must_be_runnable"),
        "foreign": ("PERF_FILES", "kernel_events_beside", "made_folder", "make_capture", "place_for", "trace_in"),
        "run": ("Recorded", "Target", "capture_folder", "look_at_dump", "look_with", "record"),
    }

    def __getattr__(name):
        """Imports a name on first use: the modules that read captures take a quarter of a second, and `look` reads
        none."""
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names:
                value = getattr(import_module(f"poolscope.recording.{home}"), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'poolscope.recording' has no attribute {name!r}")
