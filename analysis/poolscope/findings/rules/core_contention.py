"""Items waited because the cores were busy with the process's own work."""

from __future__ import annotations

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.own_code import less_cpu
from poolscope.findings.core_rule import CoreRule
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, fix, predicted, threads_would_not_help
from poolscope.measures.antagonists import OWN_OTHER
from poolscope.whatif.fixes import CORES

OUTSIDE_SHARE = 0.5
"""For the core time while workers had no core: from half of it on, threads outside the pool are the reason, and not the
items, whose CPU time the advice would otherwise be about."""
OUTSIDE_ADVICE = (
    "Reduce the CPU use of this process's threads outside the pool: \u201cwho held the cores\u201d lists those that "
    "compute on their own (new Thread, LongRunning)."
)


class CoreContention(CoreRule):
    """Fires when a lack of cores that neither other processes nor a CPU quota are charged with is a notable part of the
    wait; or, where items started at once and were slowed (Evidence.is_slowed), of their execution.

    What those took is `noisy-neighbour`'s and `cgroup-throttled`'s, whether or not these fire: else it is little.
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
