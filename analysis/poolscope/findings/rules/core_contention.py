"""Items waited because the cores were busy with the process's own work."""

from __future__ import annotations

from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import predict
from poolscope.findings.rule import Rule
from poolscope.findings.words import duration, percent


class CoreContention(Rule):
    """Fires when core contention that neither other processes nor a CPU quota are charged with is a notable part of the
    wait.

    What those took is `noisy-neighbour`'s and `cgroup-throttled`'s, whether or not these fire: else it is little.
    """

    id = "core-contention"
    title = "There were cores for the work"
    failing_title = "There were more runnable threads than cores"
    needs = ("work_items", "thread_states")
    documentation = "core-contention"
    golden = "core-contention"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        split = evidence.split
        core = split.parts.core - evidence.core_by_throttling - evidence.core_by_neighbours
        if not evidence.is_notable(core):
            return None
        execution = evidence.attribution.execution
        cores = evidence.attribution.cores
        busy = float(execution.cpu.sum()) / (evidence.wall_seconds * cores * 1e9)
        after = predict(evidence, "cores")
        return self.of_wait(
            evidence,
            core,
            because="the cores were busy",
            said=[
                f"The target may use {cores:g} cores; its work items alone kept {percent(busy)} of them busy "
                "over the whole capture.",
                f"Once started, items were runnable without a core for another "
                f"{duration(float(execution.ready.mean()) / 1e6)} on average.",
            ],
            advice=[
                "More threads would not help: they would share the same cores. Spend less CPU per item, or give the "
                f"process more cores. With a core for everyone the mean delay would be "
                f"{duration(after.delay_after_ms)} (measured {duration(after.delay_ms)}).",
            ],
            predicted=[after],
        )
