"""How sure the verdict is: why none may be given, because the capture lacks what each would rest on; and whether it would be
another one if nothing else had used the machine, or the machine's host had given all of it."""

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


DISTURBED = 0.25
"""For the judged items' delay: from a quarter on that would be gone without the competitors, they are part of the answer."""
FLIPPED = 0.5
"""From half of it on, what remains is the smaller part: the verdict names what was not the main cause."""
BUSY_OTHERS = 0.25
"""For the core time while workers had no core: from a quarter of it on, other processes shape when things happened in ways
that a replay does not show."""

STOLEN = 0.25
"""A share of the processor time while the judged items waited and ran. From a quarter on, the time that the host of a virtual machine took is a notable part of the apparent computing, and no event says which part."""
MOSTLY_STOLEN = 0.5
"""From half of it on, most of what seems to be computing may be its."""

ABOUT_CORES = ("core-contention", "oversubscribed")
"""Causes by which items that started on time end late because they lack a core. A lock or a pause that does so is not the others'."""
ON_THE_WIRE = ("slow-service",)
"""Causes that are measured on the network: what others had of this process's cores is not in them."""


def disturbance(evidence: Evidence, cause: Finding) -> tuple[str | None, bool]:
    """Says in a sentence why others on the machine limit the confidence (None: they do not), and returns whether the
    verdict may be another one without them. Never if they are the verdict."""
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
    # A replay that misses the run says nothing about the others' part in it.
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
    """Returns whether those who held the lock waited for a core for a notable part of that time: all who queue for it wait along."""
    owners = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    return owners is None or owners["was"]["ready"] >= NOTABLE_SHARE * owners["thread_s"]


def _spared(evidence: Evidence) -> float:
    """Returns the share of the judged items' delay that would be gone without the others."""
    total = seconds(evidence.of_judged(evidence.split.ladder.as_is))
    return seconds(evidence.of_judged(evidence.spared_by_others)) / total if total > 0 else 0.0
