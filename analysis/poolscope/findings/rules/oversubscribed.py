"""Items ended late because far more items than cores ran at once."""

from __future__ import annotations

from poolscope.base.units import MS_PER_S, NS_PER_S
from poolscope.base.words import duration, percent, times
from poolscope.evidence.evidence import Evidence
from poolscope.findings.advice import figure, fix, more_threads, predicted
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.whatif.fixes import MOST_THREADS, THREADS


class Oversubscribed(Rule):
    """Fires when twice as many workers as cores were runnable, and the items would have ended sooner with no more
    threads than cores (Evidence.is_oversubscribed has the thresholds), and not sooner still with more threads: one page must
    not advise both.

    Its cost is delay up to completion, in item-seconds: a pool with a thread for every item lets none wait before its
    start, and all of them after it.
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
            return None  # more threads would end the items sooner still than fewer
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
