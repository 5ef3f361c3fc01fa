"""One verdict out of the findings: the dearest cause, or that nothing can be told."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from poolscope.capture.schema import enum
from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules.coverage_low import MODEL_ERROR, CoverageLow
from poolscope.findings.rules.hidden_waits import HiddenWaits
from poolscope.findings.rules.lock_convoy import LockConvoy
from poolscope.findings.words import duration, items, percent
from poolscope.units import NS_PER_MS

LOST_FLOOR = 0.001
"""Share of lost runtime events above which pairs of enqueue and dequeue cannot be trusted: one lost event in a
thousand can shift a whole queue of equal ids by one."""
LOST_SCHEDULER_FLOOR = 0.01
"""Share of lost scheduler events above which too many state intervals are of uncertain length."""
UNKNOWN_FLOOR = 0.25
"""Share of execution without kernel events above which the split of the wait rests on too little."""


@dataclass(frozen=True)
class Verdict:
    """The answer in one sentence. `id` is a rule's id, `cannot-tell` or `no-work`."""

    id: str
    text: str
    confidence: str
    """high, medium or low."""
    reasons: list[str]
    """Why the confidence is not high, or why nothing can be told."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def judge(evidence: Evidence, findings: list[Finding]) -> Verdict:
    """Chooses by cost in item-seconds, not by order; first asks whether anything can be said at all."""
    reasons = CoverageLow.holes(evidence)
    doubts = _doubts(evidence)
    if evidence.attribution.items.count == 0:
        if doubts:
            return Verdict(
                "cannot-tell", "Cannot tell: no work item was seen, and that may not be the truth.", "low", doubts
            )
        text = "No work item was queued to the thread pool in this capture."
        return Verdict("no-work", text, _confidence(evidence, reasons), reasons)
    if doubts:
        return Verdict("cannot-tell", f"Cannot tell why items waited: {doubts[0]}", "low", reasons or doubts)
    causes = [f for f in findings if f.id not in (CoverageLow.id, HiddenWaits.id)]
    if not causes:
        why = "no known cause explains a notable part of the wait."
        return Verdict("cannot-tell", f"Cannot tell why items waited: {why}", "low", reasons)
    dearest = max(causes, key=lambda f: f.item_seconds)
    return Verdict(dearest.id, _sentence(evidence, dearest), _confidence(evidence, reasons), reasons)


def _doubts(evidence: Evidence) -> list[str]:
    """Reasons for which no verdict may be given."""
    c = evidence.coverage
    said = []
    if c.lost > LOST_FLOOR * (c.events + c.lost):
        said.append(f"the runtime stream lost {percent(c.lost / (c.events + c.lost))} of its events.")
    if c.items == 0:
        if not c.launched and _pool_was_busy(evidence):
            said.append(
                "the pool was short of threads, but a process that is attached to logs its queue only after a worker "
                "finishes an item; start it under the collector, or attach before it starves."
            )
        return said
    if evidence.is_healthy:
        return said
    if c.tier == "none":
        said.append("without a kernel stream, blocked items, computing items and a lack of cores look alike.")
    if c.lost_scheduler > LOST_SCHEDULER_FLOOR * (c.events_scheduler + c.lost_scheduler):
        said.append("the scheduler stream lost too many events.")
    if c.tier != "none" and c.unknown_execution_ms > UNKNOWN_FLOOR * c.execution_ms:
        said.append(f"{percent(c.unknown_execution_ms / c.execution_ms)} of the execution has no kernel events.")
    return said


def _pool_was_busy(evidence: Evidence) -> bool:
    reasons = evidence.capture.table("pool_changes")["reason"].to_numpy()
    starving = [enum("pool_changes", "reason", r) for r in ("Starvation", "CooperativeBlocking")]
    return bool(any((reasons == r).any() for r in starving))


def _confidence(evidence: Evidence, reasons: list[str]) -> str:
    error = evidence.coverage.model_error
    if error is not None and abs(error) > 2 * MODEL_ERROR and not evidence.is_healthy:
        return "low"
    return "medium" if reasons else "high"


def _sentence(evidence: Evidence, finding: Finding) -> str:
    attribution = evidence.attribution
    count = items(attribution.items.count)
    if finding.id == "healthy":
        return f"Healthy: {count} started at once ({finding.number})."
    mean = float(attribution.items.wait.mean()) / NS_PER_MS
    at_least = "at least " if attribution.items.censored.any() else ""
    if finding.id == LockConvoy.id:
        return (
            f"{count[0].upper()}{count[1:]} ended late because {finding.because}: {finding.number}. They had started "
            f"{at_least}{duration(mean)} late on average."
        )
    return (
        f"{count[0].upper()}{count[1:]} started {at_least}{duration(mean)} late on average because {finding.because}: "
        f"{finding.number}."
    )
