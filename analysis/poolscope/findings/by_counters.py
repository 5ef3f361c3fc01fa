"""What the runtime's own counters add to a verdict on a trace without work items: bounds, and never a cause."""

from __future__ import annotations

from poolscope.capture import DecodedCapture
from poolscope.coverage.made import without_work_items
from poolscope.measures.counted_waits import (
    WaitBounds,
    bounds_words,
    intervals,
    longest_stall,
    stall_words,
    wait_bounds,
)

LEAST_STALL_S = 3.0
"""A standstill is said in the verdict if it lasts at least this long: single items may take seconds."""


def counters_sentence(capture: DecodedCapture) -> str:
    """Returns a sentence or two with a space before each; nothing if there are no counters, or they bound nothing."""
    if without_work_items(capture.manifest) is None or not capture.has("pool_counters"):
        return ""
    rows, (start, stop) = capture.table("pool_counters"), capture.window
    read = intervals(rows[(rows["time"] >= start) & (rows["time"] <= stop)], start)
    bounds, stall = wait_bounds(read), longest_stall(read)
    said = f" {bounds_words(bounds.least, bounds.most)}" if isinstance(bounds, WaitBounds) else ""
    if stall is not None and stall.to_s - stall.from_s >= LEAST_STALL_S:
        said += f" {stall_words(stall.from_s, stall.to_s, stall.queued)}"
    return said
