"""Items waited while the runtime was suspended."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.base.words import duration, percent, times
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.measured import seconds
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import more_threads
from poolscope.findings.rule import Rule
from poolscope.measures.stops import is_profiled, suspended_by_collections, takes_snapshots

OWN = (
    "Record again with `--snapshots 0`: the recording's own stack snapshots suspend the runtime, and take long if its "
    "threads have no core."
)

OWN_PROFILE = (
    "Record again without the runtime's sampled profile, which suspends the runtime for each sample: the line that this prints "
    "leaves it out: poolscope recipe dotnet-trace."
)


def without_own(evidence: Evidence) -> str:
    """Returns what leaves the recording's own suspensions out of the next one."""
    return OWN_PROFILE if is_profiled(evidence.capture) else OWN


def may_be_own(evidence: Evidence) -> bool:
    """Returns whether most of the suspended time may be the recording's own doing."""
    collecting, other = suspended_by_collections(evidence.capture)
    return takes_snapshots(evidence.capture) and other > collecting


class RuntimeSuspended(Rule):
    """Fires when suspension of the runtime is a notable part of the late items' wait, or where items started on time and
    then stood still in suspensions for longer than the late limit (Evidence.is_paused).

    Of the wait that is charged to the runtime (suspension, and dispatch until a wake-up is issued) at most what of the item's
    wait lay inside a suspension.
    """

    id = "runtime-suspended"
    title = "The runtime was not suspended while items waited"
    failing_title = "The runtime was suspended while items waited"
    needs = ("work_items", "thread_states", "suspensions")
    documentation = "runtime-suspended"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        part = evidence.suspended_wait
        waited = evidence.is_notable(part)
        if not waited and not evidence.is_paused:
            return None
        start, stop = evidence.capture.window
        rows = evidence.capture.table("suspensions")
        length = np.where(rows["end"].to_numpy() < 0, stop, rows["end"].to_numpy()) - rows["start"].to_numpy()
        suspended = float(evidence.attribution.suspension.integral(0.0, float(stop - start)))
        collecting, other = suspended_by_collections(evidence.capture)
        by_collection = collecting / max(collecting + other, 1.0)
        snapshots = takes_snapshots(evidence.capture)
        rest = (
            "the sampling profiler of the recording itself"
            if is_profiled(evidence.capture)
            else "the recording's own snapshots of stacks, or another profiler"
            if snapshots
            else "a profiler that walks stacks"
        )
        said = [
            f"The runtime was suspended {times(len(rows))}, for {duration(suspended / NS_PER_MS)} in all "
            f"({percent(suspended / (stop - start))} of the time), the longest for {duration(float(length.max()) / NS_PER_MS)}.",
            f"{percent(by_collection)} of that was garbage collection"
            + ("." if by_collection > 0.99 else f"; the rest has other reasons, such as {rest}."),
        ]
        advice = [
            without_own(evidence)
            if may_be_own(evidence)
            else "Reduce garbage collection: allocate fewer long-lived objects, remove forced full collections "
            "(GC.Collect), or try concurrent or server collection (System.GC.Concurrent, System.GC.Server).",
            *([] if more_threads(evidence) else ["More threads would not help: a suspension stops all of them."]),
        ]
        because = "the runtime was suspended"
        if waited:
            return self.of_wait(evidence, part, because=because, said=said, advice=advice)
        return self._of_pauses(evidence, because, said, advice)

    def _of_pauses(self, evidence: Evidence, because: str, said: list[str], advice: list[str]) -> Finding:
        """Returns the finding where items started on time and then stood still."""
        items, paused = evidence.attribution.items, evidence.paused
        part = evidence.attribution.execution.runtime
        cost = seconds(part[paused])
        share = cost / seconds((items.end - items.dequeue)[paused])
        return self.of_end(
            cost,
            share,
            f"{duration(cost * MS_PER_S / int(paused.sum()))} per item, {percent(share)} of the time from its start to its end",
            because=because,
            said=said,
            advice=advice,
            where=self.in_execution(evidence, np.where(paused, part, 0)),
            affected=int(paused.sum()),
        )
