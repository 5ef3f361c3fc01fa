"""What a rule says when it fires, and how many requests, activities, calls or messages that is about, and where these were."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import cast

from poolscope.contract.analysis_json import FindingJson
from poolscope.evidence.where import Where
from poolscope.html.notebook import bullets, card, paragraph, table


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


@dataclass(frozen=True)
class Predicted:
    """The effect of one fix alone. Means of what the fix is judged by, ms."""

    fix: str
    """The id of one of `fixes`."""
    delay_ms: float
    """As measured: its `before_ms`."""
    delay_after_ms: float
    """With this fix alone: its `after_ms`."""
    low_ms: float = 0.0
    high_ms: float = 0.0
    """Least and most over the simulated runs."""
    lower_bound: bool = False


@dataclass(frozen=True)
class Finding:
    """One cause with its cost. The field names are the keys of `findings[]` in analysis.json."""

    id: str
    severity: str
    """high, medium, low or ok."""
    title: str
    number: str
    """The headline number, with its unit."""
    item_seconds: float
    """What it costs: waiting time summed over all items. The costliest finding is the verdict."""
    because: str
    """The cause as the end of a sentence: "items started late because ..."."""
    evidence: list[str]
    advice: list[str]
    predicted: list[Predicted]
    explains: dict[str, float] = field(default_factory=dict)
    """Item-seconds of its cost that are also those of a more general finding, by that finding's id. Empty: a cause of
    its own. ranking.py says which of the two is the verdict."""
    ended_late: bool = False
    """The cost is time by which items ended later; else, by which they started later."""
    where: Where = field(default_factory=Where)
    """Its evidence as places in the capture."""
    affected: int | None = None
    """Items that the headline number is of; None: those that are judged."""
    sentence: str = ""
    """The verdict's sentence, for a cause of late requests instead of late items; empty: of items. Not in analysis.json."""
    doubt: str = ""
    """Why the verdict's confidence is not high if this is the cause, though nothing speaks against it. Not in analysis.json but
    among the verdict's reasons."""

    late: Lateness | None = None
    """Whom it made wait, if these are no work items. Not in analysis.json."""

    def to_json(self) -> FindingJson:
        content = asdict(self)
        del content["sentence"], content["doubt"], content["late"]
        return cast(FindingJson, content)

    def _repr_html_(self) -> str:
        """Returns what a notebook shows of it."""
        return card(
            f"{self.title} ({self.id}, severity {self.severity})",
            paragraph(self.number),
            bullets(self.evidence),
            *([paragraph("What to do:"), bullets(self.advice)] if self.advice else []),
        )


class Findings(list[Finding]):
    """A list of findings that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return card("Findings", paragraph("None."))
        rows = [(f.severity, f.title, f.number, f.id) for f in self]
        return card(f"Findings: {len(self)}", table(("severity", "finding", "how much", "id"), rows))
