"""When items were late, and which of these incidents matter: late items that overlap, or follow each other within a second, are
one incident. Short and small ones do not matter, and neither does a start-up that compiles code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.series import Steps
from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items as items_words
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.incidents.start_up import StartUp


GAP_NS = NS_PER_S
"""Late items that follow each other within this time belong to one incident: an injected thread takes about a second, so
a pool that runs out of threads makes items late at least that often."""


@dataclass(frozen=True)
class Incident:
    """One stretch in which items were late. Times are ns from the start of the window."""

    start: int
    """When the first late item was queued."""
    end: int
    """When the last one started; the end of the window if it never did."""
    late: IntArray
    """Indexes into Items, in order of enqueue."""
    items: int
    """Items that were queued, waited or started in this time, the late ones among them."""


def late_items(items: Items, limit_ms: float = LATE_LIMIT_MS) -> BoolArray:
    """Returns which items waited longer than `limit_ms`, shape (items,). A lower bound that is longer counts."""
    return np.asarray(items.wait > limit_ms * NS_PER_MS)


def find_incidents(items: Items, limit_ms: float = LATE_LIMIT_MS) -> list[Incident]:
    """Returns the incidents by start; none if nothing was late."""
    late = np.flatnonzero(late_items(items, limit_ms))
    if len(late) == 0:
        return []
    order = late[np.argsort(items.enqueue[late], kind="stable")]
    begin = items.enqueue[order]
    reached = np.maximum.accumulate(items.dequeue[order])
    first = np.flatnonzero(np.append(True, begin[1:] > reached[:-1] + GAP_NS))
    enqueued, started = np.sort(items.enqueue), np.sort(items.dequeue)
    found = []
    for at, members in zip(first, np.split(order, first[1:]), strict=True):
        start, end = int(begin[at]), int(items.dequeue[members].max())
        there = int(np.searchsorted(enqueued, end, side="right") - np.searchsorted(started, start, side="left"))
        found.append(Incident(start, end, members, there))
    return found


LONG_MS = 1.0 * MS_PER_S
"""One item that waits for a second matters, however few others do: a second is what the pool takes to add a thread, and
a person notices."""
SHORT_MS, SHORT_S = 250.0, 1.0
"""No item waited longer than the one, and the incident is over within the other: one hiccup of a machine, however many
items were queued then. What comes again within a second is the same incident, and longer."""
LEAST_S = 1.0
"""Item-seconds beyond the late limit from which many shorter waits matter: a second in all."""
LEAST_SHARE = 0.01
"""And per second of the incident: waits of a hundredth of the time are the background of a busy machine."""


@dataclass(frozen=True)
class Weighed:
    """An incident and whether it matters. Item-seconds of its late items' waits, ms."""

    incident: Incident
    longest_ms: float
    item_seconds: float
    at_least: bool
    """Some of these waits began before the capture or went on after it."""
    at_start_up: bool
    why_not: str | None
    """Why it does not matter, as a sentence; None: it matters."""

    @property
    def matters(self) -> bool:
        return self.why_not is None


def weigh(incident: Incident, items: Items, limit_ms: float, start_up: StartUp) -> Weighed:
    """Decides whether an incident matters."""
    wait = items.wait[incident.late]
    longest = float(wait.max()) / NS_PER_MS
    beyond = float((wait - limit_ms * NS_PER_MS).sum()) / NS_PER_S
    length = (incident.end - incident.start) / NS_PER_S
    starting = start_up.explains(incident.start, incident.end) and not start_up.held_by_blocked(incident.late)
    why = None
    if starting:
        why = f"{_late(incident)}, up to {duration(longest)}, while the program started and its code was compiled."
    elif longest < SHORT_MS and length < SHORT_S:
        why = (
            f"{_late(incident)}, up to {duration(longest)}, within {duration(length * MS_PER_S)}: too short to matter."
        )
    elif longest < LONG_MS and beyond < max(LEAST_S, LEAST_SHARE * length):
        why = f"{_late(incident)}, up to {duration(longest)}: too few and too short to matter."
    return Weighed(
        incident=incident,
        longest_ms=longest,
        item_seconds=float(wait.sum()) / NS_PER_S,
        at_least=bool(items.censored[incident.late].any()),
        at_start_up=starting,
        why_not=why,
    )


def _late(incident: Incident) -> str:
    count = items_words(len(incident.late))
    return f"{count[0].upper()}{count[1:]} of {incident.items:,} started late"


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
