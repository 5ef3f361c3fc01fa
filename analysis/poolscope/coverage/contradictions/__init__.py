"""Finds contradictions between the tables of one capture.

A table may be well formed by itself and still be wrong: from another capture, from a damaged stream, or changed. Most
facts are recorded twice: by the runtime and by the kernel, or as the end of one thing and the beginning of the next.
Real captures agree to the nanosecond. If one does not, no verdict is certain (docs/attribution.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from poolscope.capture import DecodedCapture
from poolscope.coverage.contradictions import items, limits, threads
from poolscope.coverage.contradictions.contradiction import Contradiction

CHECKS: tuple[Callable[[DecodedCapture], Iterator[Contradiction]], ...] = (
    threads.check_running,
    threads.check_states,
    items.check_items,
    limits.check_clock,
    items.check_counters,
    limits.check_limits,
    threads.check_suspended,
)


MUCH_LOST = 0.01
"""The share of a stream's lost events from which the remaining events are no sign of damage: one in a hundred. Coverage
shows the loss, and no verdict is certain then, either."""


def find_contradictions(capture: DecodedCapture) -> list[Contradiction]:
    """Runs every check on a capture with nearly complete streams. Raises UnreadableCapture if a table is damaged, and
    InsufficientEvidence without a runtime stream."""
    streams = capture.table("streams")
    lost, events = streams["lost"].to_numpy(), streams["events"].to_numpy()
    if ((lost > 0) & (lost >= MUCH_LOST * (lost + np.maximum(events, 0)))).any():
        return []
    found = [contradiction for check in CHECKS for contradiction in check(capture) if contradiction.rows > 0]
    capture.forget_stored("thread_states")  # later stages read the completed copy
    return sorted(found, key=lambda c: (not c.is_serious, -c.rows / max(c.of, 1)))


__all__ = ["Contradiction", "find_contradictions"]
