"""Runnable items had no core: the process's own work kept the cores busy, far more items than cores ran at once, other
processes held the cores, or a CPU quota stopped the process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent, times
from poolscope.evidence.evidence import NOTABLE_SHARE, Evidence
from poolscope.evidence.measured import seconds
from poolscope.executions.competitors import is_inferable
from poolscope.findings.advice import figure, fix, less_cpu, more_threads, predicted, threads_would_not_help
from poolscope.findings.finding import Finding, Predicted
from poolscope.findings.rule import Rule
from poolscope.measures.cores import OTHERS, OWN_OTHER, Antagonists
from poolscope.measures.quota import throttled_ns
from poolscope.whatif.fixes import CORES, MOST_THREADS, THREADS


class CoreRule(Rule):
    """A rule about a lack of cores, which makes items start late or, if there are enough threads, only end late."""

    def is_notable(self, evidence: Evidence, part: AnyArray) -> bool:
        """Returns whether this part of Evidence.lack_of_cores is a tenth of the wait, or of the execution, and deserves
        a finding."""
        if not evidence.is_slowed:
            return evidence.is_notable(part)
        return seconds(part[evidence.slow]) >= NOTABLE_SHARE * _execution(evidence)

    def of_lack(
        self,
        evidence: Evidence,
        part: AnyArray,
        *,
        because: str,
        said: list[str],
        advice: list[str],
        predicted: Sequence[Predicted] = (),
    ) -> Finding:
        """Returns the finding of a cause that costs `part` of each item's lack of cores, ns."""
        if not evidence.is_slowed:
            return self.of_wait(evidence, part, because=because, said=said, advice=advice, predicted=predicted)
        slow = evidence.slow
        share = seconds(part[slow]) / _execution(evidence)
        mean = duration(float(part[slow].mean()) / NS_PER_MS)
        return self.of_end(
            seconds(part[slow]),
            share,
            f"{mean} per item, {percent(share)} of the time from its start to its end",
            because=because,
            said=said,
            advice=advice,
            predicted=predicted,
            where=self.in_execution(evidence, np.where(slow, part, 0)),
            affected=int(slow.sum()),
        )


def _execution(evidence: Evidence) -> float:
    """Returns the time that the slowed items took from start to end, item-seconds."""
    items = evidence.attribution.items
    return seconds((items.end - items.dequeue)[evidence.slow])


OUTSIDE_SHARE = 0.5
"""A share of the core time while workers had no core. From half on, threads outside the pool are the cause. Otherwise
the advice is about the items' CPU time."""
OUTSIDE_ADVICE = (
    "Reduce the CPU use of this process's threads outside the pool: \u201cwho held the cores\u201d lists those that "
    "compute on their own (new Thread, LongRunning)."
)


class CoreContention(CoreRule):
    """Fires when a lack of cores that is not charged to other processes or to a CPU quota is a notable part of the
    wait.

    If items started at once and were slowed (Evidence.is_slowed), it must be a notable part of their execution. The
    charged parts belong to `noisy-neighbour` and `cgroup-throttled`, even if these do not fire because the parts are
    small.
    """

    id = "core-contention"
    title = "There were cores for the work"
    failing_title = "There were more runnable threads than cores"
    needs = ("work_items", "thread_states")
    documentation = "core-contention"
    golden = "core-contention"
    section = "cpu"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        core = evidence.lack_of_cores - evidence.core_by_throttling - evidence.core_by_neighbours
        if not self.is_notable(evidence, core):
            return None
        execution = evidence.attribution.execution
        cores = evidence.attribution.cores
        busy = float(execution.cpu.sum()) / (evidence.wall_seconds * cores * NS_PER_S)
        more = fix(evidence, CORES)
        threads = (
            "More threads would not help: they would share the same cores. " if threads_would_not_help(evidence) else ""
        )
        least = float(execution.cpu.sum()) / (cores * NS_PER_MS)
        outside = evidence.antagonists.share(OWN_OTHER) if evidence.antagonists else 0.0
        others = outside >= OUTSIDE_SHARE
        return self.of_lack(
            evidence,
            core,
            because="threads of this process outside the pool held the cores" if others else "the cores were busy",
            said=[
                f"The target may use {cores:g} cores; its work items alone kept {percent(busy)} of them busy "
                "over the whole capture.",
                f"Once started, items were runnable without a core for another "
                f"{duration(float(execution.ready.mean()) / NS_PER_MS)} on average.",
                f"These items need {duration(least)} of CPU time from the cores, with any number of threads.",
                *(
                    [
                        f"While workers had no core, {percent(outside)} of the core time went to threads of this process that are "
                        "not the pool's."
                    ]
                    if others
                    else []
                ),
            ],
            advice=[
                *([OUTSIDE_ADVICE] if others else []),
                f"{threads}{less_cpu(evidence)} Or give the process more cores.{f' {more.label}.' if more else ''}"
                f"{figure(more)}",
            ],
            predicted=predicted(evidence, CORES),
        )


NEIGHBOUR_SHARE = 0.2
"""The share of the contended core time from which other processes are a cause and not background. In the golden
captures the collector and kernel threads have 4 % of it if the workers themselves fill the cores, and up to 15 % if
workers waited for a core for only some milliseconds in all."""


class NoisyNeighbour(CoreRule):
    """Fires when other processes had a fifth of the core time in which workers were ready, and the core contention
    charged to them is a notable part of the wait."""

    id = "noisy-neighbour"
    title = "Other processes left the cores to the workers"
    failing_title = "Other processes held the cores"
    needs = ("work_items", "thread_states", "threads")
    documentation = "noisy-neighbour"
    golden = ""
    section = "cores"

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if the kernel stream shows only the target and a CPU quota that was not
        recorded may have taken the cores."""
        lacking = super().missing(evidence)
        if not lacking and evidence.antagonists is None and not is_inferable(evidence.capture):
            return ["thread_states of other processes (tier tracepoint, scope system)"]
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        part = evidence.core_by_neighbours
        if evidence.neighbours_share < NEIGHBOUR_SHARE or not self.is_notable(evidence, part):
            return None
        more = fix(evidence, CORES)
        return self.of_lack(
            evidence,
            part,
            because="other processes held the cores",
            said=_who(evidence.antagonists, evidence.neighbours_share, evidence.capture.manifest["tool"].get("pid")),
            advice=[
                "Move the other processes to another machine, or give this one cores of its own (cpuset, CPU requests, a higher weight)."
                f"{f' {more.label}.' if more else ''}{figure(more)}",
            ],
            predicted=predicted(evidence, CORES),
        )


def _who(antagonists: Antagonists | None, share: float, recorder: int | None) -> list[str]:
    """Returns who had the cores, as far as the kernel stream shows. `recorder` is the collector's process id, None if
    unknown."""
    if antagonists is None:
        return [
            f"While workers were runnable without a core, this process had {percent(1 - share)} of the core time. A "
            f"core does not idle while a thread waits for it, so other processes had {percent(share)}.",
            "The kernel stream recorded this process alone, so it does not name the others; tier tracepoint does.",
        ]
    return [
        f"While at least one worker was runnable without a core ({duration(antagonists.contended / NS_PER_MS)} in all), "
        f"other processes had {percent(share)} of all core time.",
        f"Most of it went to {_names(antagonists, recorder)}.",
    ]


def _names(antagonists: Antagonists, recorder: int | None) -> str:
    """Returns the names of up to three processes with their shares, and says which one made the recording."""
    others = [e for e in antagonists.processes() if e["group"] == OTHERS][:3]
    return ", ".join(
        f"{e['process'] or 'an unnamed process'} ({e['pid']}{', which made this recording' if e['pid'] == recorder else ''}): "
        f"{percent(e['share'])}"
        for e in others
    )


class CgroupThrottled(CoreRule):
    """Fires when the core contention charged to the quota is a notable part of the wait.

    There is no other threshold: the kernel counts throttling, and it has no background level. The charge is the time in
    which the quota stopped a ready worker. Items that wait while the workers run are waiting for the workers, whatever
    the quota.
    """

    id = "cgroup-throttled"
    title = "No CPU quota stopped the process"
    failing_title = "A CPU quota stopped the process"
    needs = ("work_items", "thread_states", "throttles")
    documentation = "cgroup-throttled"
    golden = ""
    section = "cores"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        part = evidence.core_by_throttling
        if not self.is_notable(evidence, part):
            return None
        rows = evidence.capture.table("throttles")
        ran_out = int(rows["throttled_periods"].sum())
        more = fix(evidence, CORES)
        threads = "" if more_threads(evidence) else " More threads use up the quota sooner and are stopped for longer."
        return self.of_lack(
            evidence,
            part,
            because="the process's CPU quota ran out and the kernel stopped it",
            said=[
                f"The quota of the process's cgroup ran out in {ran_out:,} enforcement periods; its threads were stopped "
                f"for {duration(throttled_ns(evidence.capture) / NS_PER_MS)} in all, summed over CPUs.",
                f"That is {percent(evidence.throttled_share)} of the core time that workers were runnable and did not get.",
            ],
            advice=[
                "Raise or remove the CPU limit of the container or service (cpu.max, cpu.cfs_quota_us), or spend less CPU "
                f"per item.{threads}{f' {more.label}.' if more else ''}{figure(more)}",
            ],
            predicted=predicted(evidence, CORES),
        )


class Oversubscribed(Rule):
    """Fires when twice as many workers as cores were runnable, and items would have ended sooner with no more threads
    than cores.

    Evidence.is_oversubscribed has the thresholds. The rule does not fire if more threads would end the items even
    sooner, because one page must not advise both. Its cost is delay up to completion, in item-seconds: in a pool with a
    thread for every item, no item waits before its start and all of them wait after it.
    """

    id = "oversubscribed"
    title = "There were not many more runnable threads than cores"
    failing_title = "Far more threads were runnable than there are cores"
    needs = ("work_items", "thread_states")
    documentation = "oversubscribed"
    golden = ""
    section = "cpu"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_oversubscribed:
            return None
        crowd, cores = evidence.crowd, evidence.attribution.cores
        count = evidence.attribution.items.count
        total = evidence.mean_delay_ms * count / MS_PER_S
        more = more_threads(evidence)
        if more is not None and more.removed * evidence.mean_delay_ms > crowd.cost * MS_PER_S / count:
            return None  # more threads would end the items even sooner than fewer threads
        share = min(crowd.cost / total, 1.0)
        execution = evidence.attribution.execution
        cpu = float(execution.cpu.sum()) / NS_PER_S
        said = [
            f"A runnable worker shared {cores:g} cores with {crowd.runnable - 1:.0f} others on average. Items were on a core for "
            f"{duration(cpu * MS_PER_S)} in all, and runnable without one for {duration(crowd.ready_seconds * MS_PER_S)}.",
        ]
        if evidence.worker_switches is not None:
            said.append(
                f"Workers were taken off a core {times(evidence.worker_switches)} although they could have gone on, "
                f"{evidence.worker_switches / max(cpu, 1e-9):,.0f} times for each second of their CPU time."
            )
        fewer = fix(evidence, MOST_THREADS) or (None if more else fix(evidence, THREADS))
        return self.of_end(
            crowd.cost,
            share,
            f"{duration(crowd.cost * MS_PER_S / count)} per item, {percent(share)} of the delay",
            because="far more items than cores ran at once",
            said=said,
            advice=[
                "Run fewer at once: lower the minimum of threads, or limit parallelism where the work is queued. "
                f"Items then wait for their start instead, and end earlier.{f' {fewer.label}.' if fewer else ''}{figure(fewer)} The "
                "last one ends no sooner; for that, spend less CPU per item or add cores.",
            ],
            where=self.in_execution(evidence, execution.ready),
            predicted=predicted(evidence, fewer.kind) if fewer else [],
        )
