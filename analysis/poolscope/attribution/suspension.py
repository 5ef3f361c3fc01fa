"""Stop-the-world intervals, and which blocked time of an item they caused."""

from __future__ import annotations

import numpy as np

from poolscope.arrays import IntArray
from poolscope.attribution.execution import BLOCKED, Segments
from poolscope.capture import Capture
from poolscope.series import Steps


def suspended(capture: Capture) -> Steps:
    """1 while the runtime is suspended, else 0; ns from the start of the window."""
    if not capture.has("suspensions"):
        return Steps.constant(0.0)
    start, stop = capture.window
    table = capture.table("suspensions")
    begin = table["start"].to_numpy()
    end = table["end"].to_numpy()
    end = np.where(end < 0, stop, end)
    begin, end = np.clip(begin, start, stop) - start, np.clip(end, start, stop) - start
    open_intervals = Steps.count(begin, end)
    return Steps(open_intervals.time, np.minimum(open_intervals.value, 1.0))


def blocked_by_suspension(segments: Segments, suspension: Steps) -> IntArray:
    """How much of each segment is a suspension's doing, ns, shape (segments,).

    Only blocked time that begins inside a suspension: a thread that slept before it began would have slept on anyway.
    """
    caused = (segments.state == BLOCKED) & (suspension.at(segments.start) > 0)
    overlap = suspension.integral(segments.start, segments.end)
    return np.where(caused, np.rint(overlap), 0).astype(np.int64)
