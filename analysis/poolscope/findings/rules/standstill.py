"""Everything stood still: the whole process was stopped, or the runtime was suspended."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, moment, percent, times
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.measured import seconds
from poolscope.evidence.where import Costs, Where
from poolscope.findings.advice import more_threads
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.stops import is_profiled, suspended_by_collections, takes_snapshots


TOLD = 5
"""The number of stops whose time is reported."""


class ProcessStopped(Rule):
    """Fires when all threads of the process were stopped at once (measures/stops.py), for a second in all and 1 % of
    the wall time.

    A late request, or an item if there is none, must have been under way meanwhile. The kernel records the stop in each
    thread's last switch, so nothing is inferred. The cost is the time in which late requests stood still, or the items
    if there are no requests.
    """

    id = "process-stopped"
    title = "The process was never stopped"
    failing_title = "The whole process was stopped"
    needs = ("switches", "threads")
    documentation = "process-stopped"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        stops = evidence.stops
        total = stops.total / NS_PER_S
        if total < evidence.least_seconds:
            return None
        late, ran = evidence.held_up_requests, evidence.attribution.items
        start, end = (late.start, late.end) if late is not None else (ran.enqueue, ran.end)
        still = stops.during.integral(start, end)
        met = int((still > 0).sum())
        if met == 0:
            return None
        longest = duration(float((stops.end - stops.start).max()) / NS_PER_MS)
        often = times(len(stops.start))
        stood = f"the whole process was stopped {often}, for up to {longest}"
        if late is not None:
            who = f"{met:,} late requests" if met > 1 else "1 late request"
            sentence = f"{met:,} of {late.count:,} requests were late because {stood}."
        else:
            who = items(met)
            sentence = f"T{stood[1:]}, while {who} {'was' if met == 1 else 'were'} under way."
        moments = ", ".join(moment(float(at) / NS_PER_S) for at in stops.start[:TOLD])
        costs = Costs(np.full(len(stops.start), -1), stops.start, stops.end, stops.end - stops.start)
        begin, stop = evidence.capture.window
        return self.of_end(
            float(still.sum()) / NS_PER_S,
            total / evidence.wall_seconds,
            f"stopped {often}, {duration(total * 1000)} in all, {percent(total / evidence.wall_seconds)} of the time",
            because="the whole process was stopped",
            said=[
                f"All threads of the process were stopped at once {often}, for up to {longest}: at {moments}"
                f"{' and later' if len(stops.start) > TOLD else ''}.",
                f"{who[0].upper()}{who[1:]} {'was' if met == 1 else 'were'} under way meanwhile. The kernel reports these threads as "
                "stopped, not as waiting.",
            ],
            advice=[
                "Find out what stopped the process: docker pause, a freezer of the container's host, SIGSTOP, a debugger, or a "
                "tool that takes a dump. Nothing in its code or its thread pool could have run."
            ],
            where=Where(costs.window(stop - begin)),
            sentence=sentence,
            late=None if late is None else ("requests", met, late.count),
        )


OWN = (
    "Record again with `--snapshots 0`: the recording's own stack snapshots suspend the runtime, and take long if its "
    "threads have no core."
)

OWN_PROFILE = (
    "Record again without the runtime's sampled profile, which suspends the runtime for each sample: the line that this prints "
    "leaves it out: poolscope recipe dotnet-trace."
)


def without_own(evidence: Evidence) -> str:
    """Returns advice on how to keep the recording's own suspensions out of the next one."""
    return OWN_PROFILE if is_profiled(evidence.capture) else OWN


def may_be_own(evidence: Evidence) -> bool:
    """Returns whether the recording itself may have caused most of the suspended time."""
    collecting, other = suspended_by_collections(evidence.capture)
    return takes_snapshots(evidence.capture) and other > collecting


class RuntimeSuspended(Rule):
    """Fires when suspension of the runtime is a notable part of the late items' wait, or when items started on time and
    then stood still in suspensions for longer than the late limit (Evidence.is_paused).

    The wait charged to the runtime also includes dispatch until a wake-up is issued. The suspended part is at most the
    time that the item's wait overlapped a suspension.
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
        """Returns the finding for items that started on time and then stood still."""
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
