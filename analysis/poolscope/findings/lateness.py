"""How many requests, activities, calls or messages a verdict is about, and where these were."""

from __future__ import annotations

from dataclasses import dataclass

PLACE_WORDS = {
    "process-stopped": "the whole process was stopped",
    "reader-held": "a busy thread left their data unread",
    "serial-continuations": "their continuations ran one after another in one work item",
    "connection-busy": "a connection handles one message at a time",
    "stream-limit": "a connection had no stream left",
    "connection-pool-wait": "all connections to a service were taken",
    "slow-service": "a service answered late",
    "own-work": "their own code took long",
    "client-side": "clients were slow to take answers",
}
"""Why they were late, by the rule that found their place."""


@dataclass(frozen=True)
class Lateness:
    """What a customer waited for. Its figures are those of the verdict's sentence."""

    unit: str
    """requests, activities or calls; messages: on connections that stay open."""
    late: int
    """Of messages: the connections."""
    of: int | None
    """All of them; None: not known, as of messages."""
    place: str | None = None
    """A key of PLACE_WORDS. None: no event shows where they were."""
    seconds: float = 0.0
    """What the place cost them, summed; without a place how much longer than usual they took."""
    method: str | None = None
    """The method at fault."""
    endpoint: str | None = None
    """The service at fault."""

    @property
    def count(self) -> str:
        return late_words(self.unit, self.late, self.of)


def late_words(unit: str, late: int, of: int | None) -> str:
    """Returns how many of how many were late."""
    if unit == "messages":
        return f"messages on {'1 connection' if late == 1 else f'{late:,} connections'}"
    return f"{late:,} of {of:,} {unit}" if of is not None else f"{late:,} {unit}"


def place_words(unit: str, place: str | None, method: str | None, endpoint: str | None) -> str:
    """Returns that they were late and why, as the beginning of a sentence."""
    who = unit.capitalize()
    if place is None:
        return f"{who} were late, and no event shows where"
    named = ", ".join(name for name in (place, method, endpoint) if name)
    return f"{who} were late because {PLACE_WORDS[place]} ({named})"
