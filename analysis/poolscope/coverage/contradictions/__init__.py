"""What tables of one capture say against each other.

Every table by itself may be well formed and still be wrong: of another capture, of a damaged stream, or changed. Most of
what is recorded is recorded twice, by the runtime and by the kernel, or as the end of one thing and the beginning of the
next. Real captures agree to the nanosecond; if one does not, no verdict is certain (docs/attribution.md).
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
"""For a stream's events: from one in a hundred on, what the others still tell is no sign of damage. Coverage shows the
loss, and no verdict is certain then either."""


def find_contradictions(capture: DecodedCapture) -> list[Contradiction]:
    """Asks every check, of a capture whose streams are nearly whole. Raises UnreadableCapture when a table is damaged, InsufficientEvidence without a runtime stream."""
    streams = capture.table("streams")
    lost, events = streams["lost"].to_numpy(), streams["events"].to_numpy()
    if ((lost > 0) & (lost >= MUCH_LOST * (lost + np.maximum(events, 0)))).any():
        return []
    found = [contradiction for check in CHECKS for contradiction in check(capture) if contradiction.rows > 0]
    return sorted(found, key=lambda c: (not c.is_serious, -c.rows / max(c.of, 1)))


__all__ = ["Contradiction", "find_contradictions"]
