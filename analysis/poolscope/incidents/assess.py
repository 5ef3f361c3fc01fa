"""The incidents of a capture, weighed, and the moments that blame counts."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.incidents.find import find_incidents
from poolscope.incidents.start_up import StartUp
from poolscope.incidents.weight import Weighed, weigh


def assess(
    capture: DecodedCapture, attribution: Attribution, limit_ms: float = LATE_LIMIT_MS, start_up: StartUp | None = None
) -> list[Weighed]:
    """Finds the incidents and decides which matter; by start. `limit_ms`, above 0: an item that waits longer is late."""
    start_up = start_up or StartUp(capture, attribution)
    found = find_incidents(attribution.items, limit_ms)
    return [weigh(incident, attribution.items, limit_ms, start_up) for incident in found]


def counted_by_blame(items: Items, incidents: list[Weighed]) -> Steps | None:
    """Returns what each moment counts in the blame of a capture: those in which a late item of an incident that matters waited.

    None if no incident matters: blame then counts every moment in which any item waited.
    """
    mattering = [i for i in incidents if i.matters]
    return late_and_waiting(items, mattering) if mattering else None


def late_and_waiting(items: Items, incidents: list[Weighed]) -> Steps:
    """Returns 1 while at least one late item of these incidents waits, else 0; ns from the start of the window."""
    late = np.concatenate([i.incident.late for i in incidents])
    waiting = Steps.count(items.enqueue[late], items.dequeue[late])
    return Steps(waiting.time, np.minimum(waiting.value, 1.0)).merged()
