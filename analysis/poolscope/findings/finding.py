"""What a rule says when it fires."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import cast

from poolscope.contract.analysis_json import FindingJson
from poolscope.evidence.where import Where
from poolscope.findings.lateness import Lateness
from poolscope.html.notebook import bullets, card, paragraph, table


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
