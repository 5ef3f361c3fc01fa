"""What the rules about the gate thread have in common."""

from __future__ import annotations

from poolscope.evidence.evidence import Evidence
from poolscope.findings.rule import Rule


class GateRule(Rule):
    """A rule about .NET's own gate thread: its thresholds are those of the runtime's pool and of no other."""

    needs = ("work_items", "pool_changes", "thread_states", "threads")

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if the items are another pool's."""
        lacking = super().missing(evidence)
        if not lacking and evidence.capture.manifest.get("pool"):
            return ["items of the runtime's own pool"]
        return lacking
