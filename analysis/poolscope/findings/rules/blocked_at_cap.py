"""Items waited because blocked items held every thread that the maximum allows."""

from __future__ import annotations

from dataclasses import replace

from poolscope.base.words import percent
from poolscope.evidence.culprit import free_the_threads
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.met_lock import how_to_see, met_lock
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, fix, predicted
from poolscope.findings.rule import Rule
from poolscope.whatif.fixes import AWAIT, MOST_THREADS

UNSEEN = " This is a lower bound: the lock or service that they block on may serve only a few at once."


NOT_REACHED = "Blocked items would have held every thread that the maximum allows"


class BlockedAtCap(Rule):
    """Fires when waiting behind blocked items, with the pool at its maximum, is a notable part of the wait.

    The ladder's world `ready` has every thread below the maximum at once, so what is left of the delay there, and goes
    away when blocked items hold no thread, is the maximum's doing.
    """

    id = "blocked-at-cap"
    title = "The maximum of threads did not hold items back"
    failing_title = "Blocked items held all the threads that the maximum allows"
    needs = ("work_items", "pool_limits", "thread_states")
    documentation = "blocked-at-cap"
    golden = "blocked-at-cap"
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        split = evidence.split
        holding = split.parts.holding
        if not evidence.is_notable(holding):
            return None
        maximum = int(evidence.attribution.pool.maximum.value.min())
        goal = int(evidence.attribution.pool.goal.value.max())
        # The ladder asks what even all threads would have left of the wait, whether or not the pool ever had this many.
        reached = goal >= maximum
        execution = evidence.attribution.execution
        blocked = float(execution.blocked.sum())
        total = float((evidence.attribution.items.end - evidence.attribution.items.dequeue).sum())
        wait, more = fix(evidence, AWAIT), fix(evidence, MOST_THREADS)
        lock = met_lock(evidence, wait) if wait and wait.after_ms is not None else None
        first = free_the_threads(evidence.culprit) + figure(wait)
        may = "if the service or lock that items wait for can serve more of them at once"
        found = self.of_wait(
            evidence,
            holding,
            because=f"blocked items {'held' if reached else 'would have held even'} every thread that the pool's maximum allows",
            said=[
                f"The pool's maximum is {maximum:,} worker threads"
                f"{' (inferred)' if evidence.attribution.pool.limits_known == 'inferred' else ''}.",
                *(
                    []
                    if reached
                    else [
                        f"It wanted {goal:,} at most; with all {maximum:,} at once this part of the wait remains (replayed)."
                    ]
                ),
                *(
                    [
                        f"Items spent {percent(blocked / total)} of their execution blocked, each holding a thread meanwhile."
                    ]
                    if total
                    else []
                ),
                *([evidence.culprit.sentence()] if evidence.culprit else []),
            ],
            advice=[
                first.removesuffix(".") + lock.warning() if lock else first + (UNSEEN if wait else ""),
                f"Or allow more than {maximum:,} threads, {may}{'.' if lock else f'; {how_to_see(evidence)}'}{figure(more)}",
            ],
            predicted=predicted(evidence, AWAIT, MOST_THREADS),
        )
        return found if reached else replace(found, title=NOT_REACHED)
