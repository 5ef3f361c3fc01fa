"""Decides which incidents matter. Short and small ones do not, and neither does a start-up that compiles code."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration
from poolscope.base.words import items as items_words
from poolscope.executions.items import Items
from poolscope.incidents.find import Incident
from poolscope.incidents.start_up import StartUp

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
