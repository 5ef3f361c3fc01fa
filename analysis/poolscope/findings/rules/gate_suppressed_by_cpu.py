"""Items waited because the process's CPU was busy, so that the gate thread waited longer before it added threads."""

from __future__ import annotations

from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, more_threads, predicted
from poolscope.findings.rules.gate_rule import GateRule
from poolscope.measures.gate import starvations
from poolscope.whatif.fixes import THREADS


class GateSuppressedByCpu(GateRule):
    """Fires when the injection delay beyond 500 ms of standstill, with the process's CPU at 80 % or more, is a notable
    part of the wait.

    It is injection delay, so the items would have ended sooner with more threads: the cores were busy, but with items
    that hold them for long, and the ones that waited are short. No other threshold: both are the runtime's own.
    """

    id = "gate-suppressed-by-cpu"
    title = "A busy CPU did not keep the pool from growing"
    failing_title = "A busy CPU kept the pool from adding threads"
    documentation = "gate-suppressed-by-cpu"
    golden = ""
    section = "cpu"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_notable(evidence.split.parts.injection):
            return None
        part = evidence.gate.by_cpu
        if not evidence.is_notable(part):
            return None
        injection = evidence.item_seconds(evidence.split.parts.injection)
        goal = evidence.attribution.pool.goal.value
        added = starvations(evidence.capture)
        threads = more_threads(evidence)
        return self.of_wait(
            evidence,
            part,
            because="the process's busy CPU kept the pool from adding threads",
            said=[
                f"During {percent(evidence.item_seconds(part) / injection)} of the injection delay nothing had been taken or "
                "finished for 500 ms, but the process used 80 % or more of its processors. The gate then waits a second for "
                f"each thread of the goal ({goal[0]:,.0f} to {goal.max():,.0f} here) before it adds one.",
                f"It added {added:,} thread{'' if added == 1 else 's'} for starvation in {duration(1000 * evidence.wall_seconds)}.",
            ],
            advice=[
                "Take the long computations out of the pool (a dedicated thread, TaskCreationOptions.LongRunning), or cut them "
                "into short items, so that short items find a thread.",
                *(
                    [
                        f"Or: {threads.label[0].lower()}{threads.label[1:]} (System.Threading.ThreadPool.MinThreads). Short items "
                        f"then share the cores with the long ones, which end later.{figure(threads)}"
                    ]
                    if threads
                    else []
                ),
            ],
            predicted=predicted(evidence, THREADS),
            explains={"injection-delay": evidence.item_seconds(part)},
        )
