"""The verdict of a capture from its incidents.

Every rule runs on each incident; not applicable is different from passed. The verdict is that of the costliest incident
that matters and of all incidents with the same cause. A verdict on a part of the recording says so and has no more
confidence than the part allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from poolscope.base.arrays import BoolArray
from poolscope.base.stages import together
from poolscope.base.units import NS_PER_S
from poolscope.base.words import moment, percent
from poolscope.blame import Blame, assign_blame
from poolscope.capture.capture import RUNTIME_STREAM
from poolscope.capture.part import Part
from poolscope.contract.analysis_json import IncidentBlameJson, IncidentJson, IncidentRequestsJson, RuleJson
from poolscope.coverage.coverage import pairs_doubt
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.findings.rules import RULES
from poolscope.findings.rules.coverage_low import CoverageLow
from poolscope.findings.rules.healthy import Healthy
from poolscope.findings.verdict import Verdict, judge
from poolscope.incidents import Weighed, late_and_waiting


@dataclass(frozen=True)
class RuleResult:
    """The outcome of one rule: fired, passed, or not-applicable because tables are missing."""

    rule: Rule
    fired: bool
    lacking: Callable[[], list[str]]
    """Returns the needs of the rule that the capture does not meet. A call may take a simulation, which `evaluate` avoids."""

    @property
    def id(self) -> str:
        return self.rule.id

    @property
    def status(self) -> str:
        return "fired" if self.fired else "not-applicable" if self.lacking() else "passed"

    def to_json(self) -> RuleJson:
        title = self.rule.failing_title if self.fired else self.rule.title
        return {"id": self.id, "status": self.status, "title": title, "missing": self.lacking()}


def evaluate(evidence: Evidence) -> tuple[list[Finding], list[RuleResult]]:
    """Returns all findings, costliest first, and the result of every rule.

    If the pairs of enqueue and dequeue are doubtful, only the rule that reports this applies: a cost computed from
    wrong pairs would be a guess.
    """
    findings: list[Finding] = []
    results: list[RuleResult] = []
    for rule in RULES:
        lacking = cache(partial(_lacking, rule, evidence))
        finding = None if rule.is_silent(evidence) or lacking() else rule.evaluate(evidence)
        if finding is not None:
            findings.append(finding)
        results.append(RuleResult(rule, finding is not None, lacking))
    if any(f.sentence for f in findings):
        # Late requests have a place; the advice to look elsewhere would lead the reader away from it.
        findings = [replace(f, advice=[]) if f.id == Healthy.id else f for f in findings]
    findings.sort(key=lambda f: -f.item_seconds)
    return findings, results


def _lacking(rule: Rule, evidence: Evidence) -> list[str]:
    missing = rule.missing(evidence)
    if rule.id != CoverageLow.id and pairs_doubt(evidence.coverage) is not None:
        missing.append(f"whole {RUNTIME_STREAM}")
    return missing


JUDGED = 20
"""The number of incidents, costliest first, with a verdict of their own. Readers open no more, and each one runs every
rule again."""
BLAMED = 5
"""The number of incidents, costliest first, whose blame is searched separately from the capture's."""
METHODS = 3
"""The number of rows of blame that an incident names."""


@dataclass(frozen=True)
class JudgedIncident:
    """One incident with its verdict."""

    weighed: Weighed
    verdict: Verdict | None
    """None if the incident does not matter, or if at least JUDGED others are costlier."""
    evidence: Evidence | None
    """The evidence restricted to the incident's late items. None without a verdict."""
    costliest: bool = False
    """True if the capture's verdict is that of this incident."""

    def to_json(self, requests: IncidentRequestsJson | None) -> IncidentJson:
        """Returns an entry of `incidents[]` (docs/analysis-json.md). `requests` are those of this incident."""
        w, i = self.weighed, self.weighed.incident
        return {
            "start_s": round(i.start / NS_PER_S, 6),
            "end_s": round(i.end / NS_PER_S, 6),
            "late": len(i.late),
            "items": i.items,
            "longest_ms": round(w.longest_ms, 6),
            "item_seconds": round(w.item_seconds, 6),
            "at_least": w.at_least,
            "matters": w.matters,
            "at_start_up": w.at_start_up,
            "why_not": w.why_not,
            "costliest": self.costliest,
            "verdict": None if self.verdict is None else self.verdict.to_json(),
            "wait_share": None if self.evidence is None else wait_share(self.evidence),
            "blame": [] if self.evidence is None else _blame(self.evidence.blame),
            "requests": requests,
        }


@dataclass(frozen=True)
class Judged:
    """The result of the rules for a capture."""

    evidence: Evidence
    """The evidence. Its `chosen` are the items that the verdict is about."""
    findings: list[Finding]
    rules: list[RuleResult]
    verdict: Verdict
    incidents: list[JudgedIncident]
    """In order of start."""


def judge_incidents(whole: Evidence) -> Judged:
    """Judges every incident that matters by its late items, and the capture by the incidents with the costliest one's
    cause.

    If no incident matters, the capture is judged by all its items.
    """
    count = whole.attribution.items.count
    mattering = sorted((i for i in whole.incidents if i.matters), key=lambda i: -i.item_seconds)
    if not mattering:
        findings, rules = evaluate(whole)
        none = [JudgedIncident(i, None, None) for i in whole.incidents]
        return Judged(whole, findings, rules, judge(whole, findings), none)
    only = len(mattering) == 1
    blaming = [] if only else [partial(_blame_of, whole, weighed) for weighed in mattering[:BLAMED]]
    blames = together(whole.capture.rows, *blaming)
    own: dict[int, tuple[Evidence, Verdict]] = {}
    for rank, weighed in enumerate(mattering[:JUDGED]):
        chosen = _mask(count, [weighed])
        blame = blames[rank] if rank < len(blames) else None
        evidence = whole.on(chosen, blame)
        findings, rules = evaluate(evidence)
        own[weighed.incident.start] = evidence, judge(evidence, [f for f in findings if not f.ended_late])
    cause = own[mattering[0].incident.start][1].id
    alike = [w for w in mattering if w.incident.start in own and own[w.incident.start][1].id == cause]
    evidence = whole.on(_mask(count, alike))
    findings, rules = evaluate(evidence)
    verdict = judge(evidence, findings)
    if verdict.id != cause and not any(f.ended_late and f.id == verdict.id for f in findings):
        # Together the incidents suggest a cause that none of them has, so the verdict is that of the costliest one.
        evidence = own[mattering[0].incident.start][0]
        findings, rules = evaluate(evidence)
        verdict = judge(evidence, findings)
    judged = [
        JudgedIncident(
            w,
            own[w.incident.start][1] if w.incident.start in own else None,
            own[w.incident.start][0] if w.incident.start in own else None,
            w is mattering[0],
        )
        for w in whole.incidents
    ]
    return Judged(evidence, findings, rules, verdict, judged)


def wait_share(evidence: Evidence) -> dict[str, float] | None:
    """Returns each cause's share of the judged items' wait, or None without a kernel stream."""
    if evidence.attribution.split is None:
        return None
    parts = evidence.split.parts
    total = evidence.waiting_item_seconds
    by_cause = {"injection": parts.injection, "blocking": parts.blocking, "core": parts.core, "runtime": parts.runtime}
    return {name: round(evidence.item_seconds(part) / total, 6) if total else 0.0 for name, part in by_cause.items()}


def _mask(count: int, incidents: list[Weighed]) -> BoolArray:
    chosen = np.zeros(count, dtype=bool)
    for weighed in incidents:
        chosen[weighed.incident.late] = True
    return chosen


def _blame_of(whole: Evidence, weighed: Weighed) -> Blame | None:
    counted = late_and_waiting(whole.attribution.items, [weighed])
    return assign_blame(whole.capture, whole.attribution, counted, owners=False)


def _blame(blame: Blame | None) -> list[IncidentBlameJson]:
    if blame is None:
        return []
    return [
        {
            "method": row.method,
            "kind": row.kind,
            "thread_s": round(row.thread_s, 6),
            "share": round(row.thread_s / blame.total_s, 6) if blame.total_s else 0.0,
        }
        for row in blame.rows[:METHODS]
        if row.stacks
    ]


def of_part(verdict: Verdict, part: Part | None) -> Verdict:
    """Returns the verdict with the time that it covers and at most medium confidence: items may have been late for
    other reasons at other times. The verdict of a whole recording is unchanged."""
    if part is None:
        return verdict
    begin, end, length = (
        moment((at - part.recorded.start) / NS_PER_S) for at in (part.start, part.stop, part.recorded.stop)
    )
    late = "" if part.late_share is None else f", with {percent(part.late_share)} of the waiting of late items"
    why = f"Only the part from {begin} to {end} was analysed{late}. The cause may differ at other times."
    return replace(
        verdict,
        text=f"From {begin} to {end} of {length}: {verdict.text}",
        confidence="medium" if verdict.confidence == "high" else verdict.confidence,
        reasons=[*verdict.reasons, why],
    )
