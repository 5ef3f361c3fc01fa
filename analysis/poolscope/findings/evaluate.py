"""Running every rule, and keeping not applicable apart from passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules import RULES


@dataclass(frozen=True)
class RuleResult:
    """What became of one rule: fired, passed, or not-applicable because tables are missing."""

    id: str
    status: str
    title: str
    missing: list[str]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "status": self.status, "title": self.title, "missing": self.missing}


def evaluate(evidence: Evidence) -> tuple[list[Finding], list[RuleResult]]:
    """All findings, dearest first, and the result of every rule."""
    findings: list[Finding] = []
    results: list[RuleResult] = []
    for rule in RULES:
        missing = rule.missing(evidence)
        finding = None if missing else rule.evaluate(evidence)
        if finding is not None:
            findings.append(finding)
        status = "not-applicable" if missing else "fired" if finding else "passed"
        title = rule.failing_title if finding else rule.title
        results.append(RuleResult(rule.id, status, title, missing))
    findings.sort(key=lambda f: -f.item_seconds)
    return findings, results
