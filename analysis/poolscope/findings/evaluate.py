"""Running every rule, and keeping not applicable apart from passed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from poolscope.capture.capture import RUNTIME_STREAM
from poolscope.contract.analysis_json import RuleJson
from poolscope.coverage.coverage import pairs_doubt
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules import RULES
from poolscope.findings.rules.coverage_low import CoverageLow
from poolscope.findings.rules.healthy import Healthy


@dataclass(frozen=True)
class RuleResult:
    """The outcome of one rule: fired, passed, or not-applicable because tables are missing."""

    id: str
    status: str
    title: str
    missing: list[str]

    def to_json(self) -> RuleJson:
        return {"id": self.id, "status": self.status, "title": self.title, "missing": self.missing}


def evaluate(evidence: Evidence) -> tuple[list[Finding], list[RuleResult]]:
    """Returns all findings, costliest first, and the result of every rule. Where the pairs of enqueue and dequeue are doubtful no
    rule but the one that says so applies: a cost computed from wrong pairs would be a guess."""
    findings: list[Finding] = []
    results: list[RuleResult] = []
    doubtful = pairs_doubt(evidence.coverage) is not None
    for rule in RULES:
        missing = rule.missing(evidence)
        if doubtful and rule.id != CoverageLow.id:
            missing.append(f"whole {RUNTIME_STREAM}")
        finding = None if missing else rule.evaluate(evidence)
        if finding is not None:
            findings.append(finding)
        status = "not-applicable" if missing else "fired" if finding else "passed"
        title = rule.failing_title if finding else rule.title
        results.append(RuleResult(rule.id, status, title, missing))
    if any(f.sentence for f in findings):
        # Late requests have a place: "look elsewhere" would send its reader away from it.
        findings = [replace(f, advice=[]) if f.id == Healthy.id else f for f in findings]
    findings.sort(key=lambda f: -f.item_seconds)
    return findings, results
