"""The confidence in the verdict: what the capture lacks for any verdict, and whether the verdict would change on a
quiet machine.

A machine is quiet if no other process used it, and if the host of a virtual machine gave it all of its cores.
"""

from __future__ import annotations

from poolscope.base.limits import MODEL_ERROR
from poolscope.base.words import duration, percent
from poolscope.capture.capture import RUNTIME_STREAM, SCHEDULER_STREAM
from poolscope.capture.schema import enum
from poolscope.coverage.coverage import Coverage, pairs_doubt, when_lost
from poolscope.coverage.gaps import damaged, not_judged, without_work_items
from poolscope.evidence.evidence import NOTABLE_SHARE, Evidence
from poolscope.evidence.measured import seconds
from poolscope.findings.finding import Finding
from poolscope.findings.ranking import ELSEWHERE
from poolscope.findings.rules.coverage_low import LARGER_RINGS
from poolscope.measures.cores import OTHERS


LOST_SCHEDULER_FLOOR = 0.01
"""The share of lost scheduler events above which too many state intervals have an uncertain length."""
UNKNOWN_FLOOR = 0.25
"""The share of execution without kernel events above which the split of the wait has too little evidence."""
NOT_RECORDED = "work items were not recorded"


def doubts_of(evidence: Evidence) -> list[str]:
    """Returns the reasons why no verdict may be given."""
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
        return said  # waits and locks need only the runtime stream
    if (
        evidence.has_convoy
        and evidence.costliest_lock
        and evidence.costliest_lock.total >= evidence.attribution.items.wait.sum()
    ):
        return said  # whatever made items start late cost less than the lock
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
    """Returns whether any item was queued, waiting or running when the scheduler stream lost events, or the time of the
    loss is unknown.

    A process that ends with hundreds of threads fills the rings after its last item. Such a loss puts no item's time in
    doubt.
    """
    lost = [loss for loss in coverage.losses if loss.stream == SCHEDULER_STREAM and loss.what == "perf_lost"]
    return not lost or any(loss.items > 0 for loss in lost)


def _pool_was_busy(evidence: Evidence) -> bool:
    reasons = evidence.capture.table("pool_changes")["reason"].to_numpy()
    starving = [enum("pool_changes", "reason", r) for r in ("Starvation", "CooperativeBlocking")]
    return bool(any((reasons == r).any() for r in starving))


DISTURBED = 0.25
"""A share of the judged items' delay. If at least a quarter would be gone without competitors, they are part of the
answer."""
FLIPPED = 0.5
"""From this share on, the remaining delay is the smaller part: the verdict does not name the main cause."""
BUSY_OTHERS = 0.25
"""A share of the core time while workers had no core. From a quarter on, other processes affect the timing in ways that
a replay does not show."""

STOLEN = 0.25
"""A share of the processor time while the judged items waited and ran. From a quarter on, time taken by the host of a
virtual machine is a notable part of the apparent computing, and no event shows which part."""
MOSTLY_STOLEN = 0.5
"""From half on, most of the apparent computing may be the host's."""

ABOUT_CORES = ("core-contention", "oversubscribed")
"""Causes for which items that started on time end late because they lack a core. If a lock or a pause delays them,
other processes are not the reason."""
ON_THE_WIRE = ("slow-service",)
"""Causes measured on the network. Competition for this process's cores does not affect them."""


def disturbance(evidence: Evidence, cause: Finding) -> tuple[str | None, bool]:
    """Returns a sentence on why other processes limit the confidence, and whether the verdict may change without them.

    The sentence is None if they do not limit it. They never do if they are the verdict.
    """
    if cause.id in ON_THE_WIRE or evidence.attribution.split is None:
        return None, False
    on_time = evidence.is_healthy
    if on_time and cause.id not in ABOUT_CORES:
        return None, False
    needs_cores = evidence.cores_matter() if cause.id == "lock-convoy" else cause.ended_late or evidence.cores_matter()
    needs_cores = needs_cores or (cause.id == "lock-convoy" and _holders_lacked_cores(evidence))
    stolen = evidence.stolen_from_items() if needs_cores else 0.0
    if stolen >= STOLEN:
        return (
            f"The host of this virtual machine took {percent(stolen)} of its processor time while the items waited and ran "
            "(steal time): part of the apparent computing time belongs to the host.",
            stolen >= MOSTLY_STOLEN,
        )
    if cause.id in ELSEWHERE:
        return None, False
    # A replay that does not fit the run says nothing about the effect of other processes.
    error = evidence.coverage.replay_error
    fits = error is None or abs(error) <= MODEL_ERROR
    share = _spared(evidence) if fits and not on_time and (needs_cores or not cause.ended_late) else 0.0
    if share >= DISTURBED:
        text = (
            f"Other processes held cores: without them, {percent(min(share, 1.0))} of the delay would be gone "
            "(replayed)."
        )
        return text, share >= FLIPPED
    others = evidence.antagonists.share(OTHERS) if evidence.antagonists else 0.0
    if needs_cores and others >= BUSY_OTHERS:
        return (
            f"While workers had no core, other processes had {percent(others)} of the core time: they caused part of "
            "the measured delay.",
            on_time and others >= FLIPPED,
        )
    return None, False


def _holders_lacked_cores(evidence: Evidence) -> bool:
    """Returns whether the holders of the lock spent a notable part of the time waiting for a core. All items that queue
    for the lock wait along."""
    owners = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    return owners is None or owners["was"]["ready"] >= NOTABLE_SHARE * owners["thread_s"]


def _spared(evidence: Evidence) -> float:
    """Returns the share of the judged items' delay that would be gone without other processes."""
    total = seconds(evidence.of_judged(evidence.split.ladder.as_is))
    return seconds(evidence.of_judged(evidence.spared_by_others)) / total if total > 0 else 0.0
