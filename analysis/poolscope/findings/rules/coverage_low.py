"""The evidence has gaps."""

from __future__ import annotations

from poolscope.base.limits import MODEL_ERROR as MODEL_ERROR
from poolscope.base.words import duration, percent
from poolscope.capture.capture import ETW, RUNTIME_STREAM, SCHEDULER_STREAM
from poolscope.capture.manifest import of_windows
from poolscope.coverage.coverage import Coverage
from poolscope.coverage.gaps import (
    Loss,
    both_recipe,
    damaged,
    losses_untold,
    not_judged,
    without_kernel,
    without_pool,
    without_work_items,
)
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import WINDOWS_SHOWN, Where, Window
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule

UNSEEN_ITEMS = 0.05
"""The share of items with an unknown start or end from which summaries are visibly distorted."""
LOST_OF = {
    "waits.nettrace": "stacks of waits",
    "symbols.nettrace": "names of methods",
    "snapshots": "stacks of threads",
}
"""The contents of each stream other than the runtime's. Without these a verdict is still valid."""
MODEL_MISSES = (
    "The recording is complete, but the replay does not fit what these items did. Recording again is unlikely to "
    "help. Measured figures remain valid. Poolscope predicts no fix: try one, and record again to compare."
)
FROM_THE_START = (
    "Record the program from its first instruction: end the line that poolscope recipe dotnet-trace prints with "
    "-- COMMAND."
)
PERFVIEW_FIRST = "Start PerfView before the program, so that the trace has the beginning of the pool."
LARGER_RINGS = "larger rings (POOLSCOPE_RING_BYTES=67108864), or with --kernel switch, which records the target alone"
"""Four times the largest default, which is 16 MiB per CPU for root in tier `tracepoint` (RingSize.cs)."""


class CoverageLow(Rule):
    """Fires when the capture contradicts itself, events were lost, a stream was cut, many items are censored, or the
    replay does not fit the run."""

    id = "coverage-low"
    title = "The evidence is complete"
    failing_title = "The evidence has holes"
    needs = ("streams",)
    documentation = "coverage-low"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        holes = self.holes(evidence)
        if not holes:
            return None
        return self.without_cost(
            "medium",
            f"{len(holes)} kind{'s' if len(holes) > 1 else ''} of gap",
            said=holes,
            advice=self.remedies(evidence),
            where=Where([Window(loss.first_s, loss.last_s) for loss in evidence.coverage.losses[:WINDOWS_SHOWN]]),
        )

    @staticmethod
    def remedies(evidence: Evidence) -> list[str]:
        """Returns what to change in the next recording."""
        c = evidence.coverage
        said = [c.contradiction_remedy] if c.contradictions else []
        both = both_recipe(evidence.capture.manifest)
        if both:
            said.append(both)
        elif unrecorded := without_work_items(evidence.capture.manifest):
            said.append(f"{unrecorded.how}.")
        if old := not_judged(evidence.capture.manifest):
            said.append(f"{old.how}.")
        if untold := losses_untold(evidence.capture.manifest):
            said.append(f"{untold.how}.")
        if c.lost:
            said.append("Raise --buffersize, so that the process has more room for events.")
        if c.lost_scheduler:
            said.append(f"Capture with {LARGER_RINGS}.")
        made = bool(evidence.capture.manifest.get("made_from"))
        by_etw = any(stream.get("tier") == ETW for stream in evidence.capture.manifest.get("streams", []))
        if both:
            pass
        elif c.tier == "none" and made:
            lack = without_kernel(evidence.capture.manifest)
            said.append(f"{lack.how}." if lack else "Record the kernel's events beside it: poolscope recipe perf.")
        elif c.tier == "none" and by_etw:
            said.append("Record context switches too: poolscope recipe perfview prints the line.")
        elif c.tier == "none" and of_windows(evidence.capture.manifest):
            said.append(
                "Record context switches too: from a prompt that was started as administrator, or with PerfView "
                "(poolscope recipe perfview prints the line)."
            )
        elif c.tier == "none":
            said.append(
                "Record as root or with CAP_PERFMON and a readable tracefs (\u201cpoolscope doctor\u201d says which)."
            )
        if c.tier == "tracepoint" and c.scope == "target":
            said.append("Record with --scope system, if cores are short.")
        if evidence.capture.part is not None:
            said.append("Analyse more of the recording (--from, --until), or all of it on a machine with more memory.")
        elif c.items_recorded and (c.censored_start or not c.goal_known):
            said.append(
                FROM_THE_START
                if made
                else PERFVIEW_FIRST
                if by_etw
                else "Record the process from its first instruction: poolscope record -- COMMAND."
            )
        if c.tier == "schedstat" and c.unresolved_ms > 0:
            said.append(
                "Poll more often (--poll-step 1ms), or allow --kernel tracepoint or switch (\u201cpoolscope doctor\u201d says how)."
            )
        if c.queued_at_end and evidence.capture.part is None:
            said.append("Record until the queue has drained, if the process lives that long.")
        model = c.replay_error is not None and abs(c.replay_error) > MODEL_ERROR
        return said or [MODEL_MISSES if model else "Record again."]

    @staticmethod
    def holes(evidence: Evidence) -> list[str]:
        """Returns each gap as a sentence."""
        c = evidence.coverage
        said = [f"The capture contradicts itself: {found.sentence}" for found in c.contradictions]
        if old := not_judged(evidence.capture.manifest):
            said.append(f"{old.why[0].upper()}{old.why[1:]}.")
        if unrecorded := without_work_items(evidence.capture.manifest):
            said.append(f"Work items were not recorded: {unrecorded.why}.")
        if c.lost:
            said.append(
                f"The runtime stream lost {c.lost:,} of {c.events + c.lost:,} events{_detail(c, RUNTIME_STREAM)}."
            )
        if c.lost_scheduler:
            total = c.events_scheduler + c.lost_scheduler
            said.append(
                f"The scheduler stream lost {c.lost_scheduler:,} of {total:,} events{_detail(c, SCHEDULER_STREAM)}."
            )
        if untold := losses_untold(evidence.capture.manifest):
            said.append(f"The number of lost events is unknown: {untold.why}.")
        for loss in c.losses:
            if loss.what == "throttled":
                said.append(f"The kernel took no CPU samples {loss.when}: nothing else depends on these.")
            elif loss.what == "eventpipe_lost" and loss.stream != RUNTIME_STREAM:
                said.append(
                    f"{loss.stream} lost {_events(loss)} {loss.when}: {LOST_OF.get(loss.stream, 'stacks')} may be missing."
                )
        broken = [loss.stream for loss in damaged(c.losses)]
        for file in dict.fromkeys(broken):
            said.append(f"{file} is damaged; Poolscope ignored everything after the damage.")
        for file in (file for file in c.cut if file not in broken):
            said.append(f"{file} ends in the middle; later events are missing.")
        if c.tier == "none":
            said.append("There is no kernel stream: CPU time, blocked time and waiting for a core look alike.")
        if c.tier == "switch":
            said.append(
                "Kernel tier switch does not record wake-ups, so a woken thread's wait for a core counts as blocked. "
                "It does not show which other process held a core that this one lacked. Tier tracepoint (root, or "
                "CAP_PERFMON and tracefs) records both."
            )
        if c.tier == "tracepoint" and c.scope == "target":
            said.append(
                "Kernel scope target records no other processes, so the capture does not show which processes held "
                "the cores that this one lacked. --scope system records them."
            )
        if c.tier == "schedstat":
            said.append(
                f"Kernel tier schedstat polls threads every {duration(c.poll_step_ms or 0.0)}. In between, it gives "
                "only the sums of time on a core and of time waiting for one, not their order. It does not record "
                "which thread ended a wait, or which other processes held the cores. Tier tracepoint (root, or "
                "CAP_PERFMON and tracefs) records all three."
            )
            if c.execution_ms > 0:
                said.append(
                    f"{percent(c.unresolved_ms / c.execution_ms)} of the execution lies in polling steps that an item "
                    "shares with other work of its thread: the states there are bounds, not figures."
                )
        span = "the capture" if evidence.capture.part is None else "this part of the recording"
        unseen = int(evidence.attribution.items.censored.sum())
        if c.items and unseen / c.items > UNSEEN_ITEMS:
            said.append(
                f"{unseen:,} of {c.items:,} items were queued before {span} or still queued at its end: "
                "their waits are lower bounds."
            )
        if c.execution_ms > 0 and c.tier != "none" and c.unknown_execution_ms / c.execution_ms > UNSEEN_ITEMS:
            said.append(f"{percent(c.unknown_execution_ms / c.execution_ms)} of the execution has no kernel events.")
        if c.censored_start and not evidence.capture.counts_more and evidence.capture.part is None:
            said.append("The capture does not show items that were queued before it and never started in it.")
        if without_pool(evidence.capture.manifest):
            said.append("The pool's own events were not recorded, so its threads and its goal are not known.")
        elif not c.goal_known:
            known = "inferred" if c.items_recorded else "not known"
            said.append(f"The capture began late: the pool's goal before its first change is {known}.")
        if c.limits_known == "inferred":
            said.append(
                "No event reports the maximum of threads: Poolscope infers it from how the pool behaved with items queued."
            )
        if evidence.attribution.pool.may_be_full:
            said.append(
                "Items were queued, and the pool did not grow. No event shows whether it was at a maximum that the "
                "program had set: log ThreadPool.GetMaxThreads in the process, or record from its start."
            )
        if c.replay_error is None and c.items and not c.joined and evidence.attribution.split is not None:
            said.append(
                "No item was seen from its enqueue to its end, so the replay could not be compared with the run."
            )
        if c.replay_error is not None and abs(c.replay_error) > MODEL_ERROR and not evidence.is_healthy:
            said.append(
                f"The replay of the run as it was does not fit (replay error {percent(abs(c.replay_error))}): no fix is predicted."
            )
        return said


def _detail(coverage: Coverage, stream: str) -> str:
    """Returns the time of the loss, and the items that lived then."""
    lost = [loss for loss in coverage.losses if loss.stream == stream and loss.what in ("eventpipe_lost", "perf_lost")]
    if not lost:
        return ""
    loss = lost[0]
    return f", {loss.when}; {loss.items:,} of {coverage.items:,} items lived then, with {percent(loss.wait_share)} of the wait"


def _events(loss: Loss) -> str:
    return "events" if loss.count is None else f"{loss.count:,} event{'s' if loss.count != 1 else ''}"
