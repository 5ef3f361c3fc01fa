"""The finding of a rule that fired, and the requests, activities, calls or messages that it is about, with their
place."""

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
"""Why they were late, by the rule that found the place."""


@dataclass(frozen=True)
class Lateness:
    """What a customer waited for. The figures are those of the verdict's sentence."""

    unit: str
    """requests, activities, calls, or messages (on connections that stay open)."""
    late: int
    """The number of late ones. For messages, the number of connections."""
    of: int | None
    """The number of all of them. None if unknown, as for messages."""
    place: str | None = None
    """A key of PLACE_WORDS. None if no event shows where they were."""
    seconds: float = 0.0
    """The summed cost of the place, seconds. Without a place, the summed time beyond the usual."""
    method: str | None = None
    """The method at fault."""
    endpoint: str | None = None
    """The service at fault."""

    @property
    def count(self) -> str:
        return late_words(self.unit, self.late, self.of)


def late_words(unit: str, late: int, of: int | None) -> str:
    """Returns how many were late, and out of how many."""
    if unit == "messages":
        return f"messages on {'1 connection' if late == 1 else f'{late:,} connections'}"
    return f"{late:,} of {of:,} {unit}" if of is not None else f"{late:,} {unit}"


def place_words(unit: str, place: str | None, method: str | None, endpoint: str | None) -> str:
    """Returns the beginning of a sentence that says that they were late, and why."""
    who = unit.capitalize()
    if place is None:
        return f"{who} were late, and no event shows where"
    named = ", ".join(name for name in (place, method, endpoint) if name)
    return f"{who} were late because {PLACE_WORDS[place]} ({named})"


@dataclass(frozen=True)
class Predicted:
    """The effect of one fix alone: means of the measure by which the fix is judged, ms."""

    fix: str
    """The id of one of `fixes`."""
    delay_ms: float
    """The measured mean: the fix's `before_ms`."""
    delay_after_ms: float
    """The mean with this fix alone: its `after_ms`."""
    low_ms: float = 0.0
    high_ms: float = 0.0
    """The least and the most over the simulated runs."""
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
    """The cost: waiting time summed over all items. The costliest finding is the verdict."""
    because: str
    """The cause as the end of a sentence: "items started late because ..."."""
    evidence: list[str]
    advice: list[str]
    predicted: list[Predicted]
    explains: dict[str, float] = field(default_factory=dict)
    """Item-seconds of its cost that a more general finding also counts, by that finding's id. Empty for a cause of its
    own. ranking.py decides which of the two is the verdict."""
    ended_late: bool = False
    """True if the cost is time by which items ended later, False if it is time by which they started later."""
    where: Where = field(default_factory=Where)
    """The evidence as places in the capture."""
    affected: int | None = None
    """The number of items behind the headline number. None for the judged items."""
    sentence: str = ""
    """The verdict's sentence if the cause made requests late instead of items. Empty for items. Not in
    analysis.json."""
    doubt: str = ""
    """Why the verdict's confidence is not high if this is the cause and no evidence speaks against it. Not a field in
    analysis.json, but one of the verdict's reasons."""

    late: Lateness | None = None
    """The requests, activities, calls or messages that it made late. None for work items. Not in analysis.json."""

    def to_json(self) -> FindingJson:
        content = asdict(self)
        del content["sentence"], content["doubt"], content["late"]
        return cast(FindingJson, content)

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        return card(
            f"{self.title} ({self.id}, severity {self.severity})",
            paragraph(self.number),
            bullets(self.evidence),
            *([paragraph("What to do:"), bullets(self.advice)] if self.advice else []),
        )


class Findings(list[Finding]):
    """A list of findings. A notebook shows it as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return card("Findings", paragraph("None."))
        rows = [(f.severity, f.title, f.number, f.id) for f in self]
        return card(f"Findings: {len(self)}", table(("severity", "finding", "how much", "id"), rows))
