"""Items waited because a CPU quota stopped the process."""

from __future__ import annotations

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.findings.core_rule import CoreRule
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, fix, more_threads, predicted
from poolscope.measures.quota import throttled_ns
from poolscope.whatif.fixes import CORES


class CgroupThrottled(CoreRule):
    """Fires when the core contention charged to the quota is a notable part of the wait.

    There is no other threshold: throttling is counted by the kernel and has no background level. Charged is the time in which
    it stopped a ready worker; what waits while the workers run waits for them, whatever the quota.
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
