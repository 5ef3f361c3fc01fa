"""A rule: one cause, one file. It looks at the evidence and fires, passes, or is not applicable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Finding


class Rule(ABC):
    """Base of all rules. A rule whose tables are missing is not applicable, which is never the same as passed."""

    id: ClassVar[str]
    title: ClassVar[str]
    """What is good when the rule does not fire."""
    failing_title: ClassVar[str]
    """What is wrong when it does."""
    needs: ClassVar[tuple[str, ...]]
    """Tables without which the rule cannot say anything."""
    documentation: ClassVar[str]
    """Section of docs/findings.md."""
    golden: ClassVar[str]
    """Capture in traces/golden that shows it; empty: shown by a live test only."""

    @abstractmethod
    def evaluate(self, evidence: Evidence) -> Finding | None:
        """The finding, or None when the rule passes."""

    def missing(self, evidence: Evidence) -> list[str]:
        """The needed tables that this capture lacks; `thread_states` also counts as lacking when it is empty."""
        lacking = [t for t in self.needs if not evidence.capture.has(t)]
        if "thread_states" in self.needs and evidence.attribution.split is None and "thread_states" not in lacking:
            lacking.append("thread_states")
        return lacking
