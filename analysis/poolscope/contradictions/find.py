"""All contradictions of a capture, serious ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from poolscope.capture import Capture
from poolscope.contradictions import clock, counters, items, limits, running, states, suspended
from poolscope.contradictions.contradiction import Contradiction

CHECKS: tuple[Callable[[Capture], Iterator[Contradiction]], ...] = (
    running.check,
    states.check,
    items.check,
    clock.check,
    counters.check,
    limits.check,
    suspended.check,
)


def find_contradictions(capture: Capture) -> list[Contradiction]:
    """Asks every check. Raises UnreadableCapture when a table is damaged, InsufficientEvidence without a runtime stream."""
    found = [contradiction for check in CHECKS for contradiction in check(capture) if contradiction.rows > 0]
    return sorted(found, key=lambda c: (not c.is_serious, -c.rows / max(c.of, 1)))
