"""While the runtime is suspended no managed code runs, so nothing of it tells of an event."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.coverage.contradictions.contradiction import Contradiction
from poolscope.coverage.contradictions.running import EVENTS

EDGE_NS = 50 * NS_PER_MS
"""From begin and end of a suspension: a thread that is stopped, or goes on, may tell of an event shortly before it notices."""
EVENTS_INSIDE = 5
"""Events that no suspension holds: 2 at most in some 290 captures, of threads on a machine that was short of cores."""


def check(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields where events of the pool lie in the middle of suspensions."""
    suspensions = capture.stored("suspensions")
    if suspensions is None or suspensions.empty:
        return
    told = [rows[time].to_numpy() for table, time, _, _ in EVENTS if (rows := capture.stored(table)) is not None]
    times = np.sort(np.concatenate([*told, np.empty(0, np.int64)]))
    start, end = suspensions["start"].to_numpy(), suspensions["end"].to_numpy()
    inside = np.searchsorted(times, end - EDGE_NS) - np.searchsorted(times, start + EDGE_NS)
    wrong = (end >= 0) & (inside >= EVENTS_INSIDE)
    yield Contradiction(
        "suspensions, work_items",
        "suspensions contain events of the pool",
        int(wrong.sum()),
        len(suspensions),
    )
