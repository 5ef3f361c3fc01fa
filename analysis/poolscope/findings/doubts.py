"""Why no verdict may be given: the capture lacks what each would rest on."""

from __future__ import annotations

from poolscope.base.words import duration, percent
from poolscope.capture.capture import RUNTIME_STREAM, SCHEDULER_STREAM
from poolscope.capture.schema import enum
from poolscope.coverage.coverage import Coverage, pairs_doubt, when_lost
from poolscope.coverage.losses import damaged
from poolscope.coverage.made import not_judged, without_work_items
from poolscope.evidence.evidence import Evidence
from poolscope.findings.rules.coverage_low import LARGER_RINGS

LOST_SCHEDULER_FLOOR = 0.01
"""Share of lost scheduler events above which too many state intervals are of uncertain length."""
UNKNOWN_FLOOR = 0.25
"""Share of execution without kernel events above which the split of the wait rests on too little."""
NOT_RECORDED = "work items were not recorded"


def doubts_of(evidence: Evidence) -> list[str]:
    """Returns the reasons for which no verdict may be given."""
    c = evidence.coverage
    said = []
    if pairs := pairs_doubt(c):
        said.append(pairs)
    if c.items == 0:
        if unrecorded := without_work_items(evidence.capture.manifest):
            return [*said, f"{NOT_RECORDED[0].upper()}{NOT_RECORDED[1:]}: {unrecorded.why}."]
        if damaged(c.losses, RUNTIME_STREAM):
            said.append(f"{RUNTIME_STREAM} is damaged, so the queue is unknown. Record again.")
        if not c.launched and _pool_was_busy(evidence):
            said.append(
                "the pool was short of threads, but after an attach the process logs its queue only once a worker "
                "finishes an item. Start it under the collector, or attach before it starves."
            )
        return said
    if old := not_judged(evidence.capture.manifest):
        said.append(f"{old.why}.")
        return said
    if evidence.is_healthy and not (evidence.is_oversubscribed or evidence.is_slowed or evidence.is_paused):
        return said  # waits and locks are the runtime stream's alone
    if (
        evidence.has_convoy
        and evidence.costliest_lock
        and evidence.costliest_lock.total >= evidence.attribution.items.wait.sum()
    ):
        return said  # whatever made items start late cost less than the lock did
    if c.tier == "none":
        said.append("without a kernel stream, blocked items, computing items and a lack of cores look alike.")
    if c.lost_scheduler > LOST_SCHEDULER_FLOOR * (c.events_scheduler + c.lost_scheduler) and _met_items(c):
        share = percent(c.lost_scheduler / (c.events_scheduler + c.lost_scheduler))
        said.append(
            f"the scheduler stream lost {share} of its events{when_lost(c, SCHEDULER_STREAM)}: the rings were full. Record again with "
            f"{LARGER_RINGS}."
        )
    if c.tier != "none" and c.unknown_execution_ms > UNKNOWN_FLOOR * c.execution_ms:
        said.append(f"{percent(c.unknown_execution_ms / c.execution_ms)} of the execution has no kernel events.")
    if c.unresolved_ms > UNKNOWN_FLOOR * c.execution_ms:
        said.append(
            f"{percent(c.unresolved_ms / c.execution_ms)} of the execution is finer than the polling step of "
            f"{duration(c.poll_step_ms or 0.0)}, so the capture does not show whether items computed or were blocked. "
            "Poll more often (--poll-step 1ms), or record with kernel tier tracepoint or switch."
        )
    return said


def _met_items(coverage: Coverage) -> bool:
    """Returns whether any item was queued, waiting or running when the scheduler stream lost events, or it is unknown when it
    did. A process that ends with hundreds of threads fills the rings after its last item: no item's time is in doubt.
    """
    lost = [loss for loss in coverage.losses if loss.stream == SCHEDULER_STREAM and loss.what == "perf_lost"]
    return not lost or any(loss.items > 0 for loss in lost)


def _pool_was_busy(evidence: Evidence) -> bool:
    reasons = evidence.capture.table("pool_changes")["reason"].to_numpy()
    starving = [enum("pool_changes", "reason", r) for r in ("Starvation", "CooperativeBlocking")]
    return bool(any((reasons == r).any() for r in starving))
