"""No item waited: not for a thread and, once started, not for a lock and not in a crowd for a core."""

from __future__ import annotations

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, items, percent
from poolscope.coverage.gaps import not_judged
from poolscope.evidence.evidence import HEALTHY_P99_MS, NOTABLE_SHARE, Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.tasks import DedicatedTasks

TOLD = 5
"""The number of incidents that do not matter and are still described one by one."""


class Healthy(Rule):
    """Fires when no item was late, or the late ones do not matter: too few, too short, or in a program that was
    starting.

    Does not fire if items then queue for a lock or for the cores. A process whose tasks all have threads of their own
    (LongRunning) queues nothing to the pool; the same limit then applies to the start of those tasks.
    """

    id = "healthy"
    title = "Items waited"
    failing_title = "Work items started at once"
    needs = ("work_items",)
    documentation = "healthy"
    golden = "healthy"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if tasks := evidence.prompt_tasks:
            number, said = _without_items(tasks)
        elif evidence.is_well:
            number, said = _prompt_items(evidence)
        else:
            return None
        elsewhere = "If something was slow in this time, it was not the thread pool's queue: look elsewhere."
        # If items may be paired wrongly or belong to no one request, a short wait rules nothing out.
        judged = not_judged(evidence.capture.manifest) is None
        return self.without_cost("ok", number, said=said, advice=[elsewhere] if judged else [])


def _prompt_items(evidence: Evidence) -> tuple[str, list[str]]:
    """Returns the headline number and the observations."""
    small = [i.why_not for i in evidence.incidents if i.why_not]
    none = f"none waited longer than {evidence.late_limit_ms:g} ms" if not small else "the late items do not matter"
    more = [f"{len(small) - TOLD:,} more such incidents."] if len(small) > TOLD else []
    return (
        f"p99 wait {duration(evidence.p99_wait.value / NS_PER_MS)}{_but(evidence)}",
        [
            f"{items(evidence.attribution.items.count)} waited {duration(1000 * evidence.waiting_item_seconds)} in all, "
            f"in {duration(1000 * evidence.wall_seconds)} of wall time; {none}.",
            *small[:TOLD],
            *more,
        ],
    )


def _without_items(tasks: DedicatedTasks) -> tuple[str, list[str]]:
    """Returns the same for a process that queued nothing."""
    start = duration(tasks.p99_start_ns / NS_PER_MS)
    return (
        f"p99 start {start}",
        [
            f"Nothing was queued to the pool. {tasks.count:,} tasks had a thread of their own (LongRunning); from "
            f"scheduling to start the p99 is {start}, below {HEALTHY_P99_MS:g} ms.",
        ],
    )


def _but(evidence: Evidence) -> str:
    """Returns the words about suspensions. A pause also stops the threads that would queue items, so the waits of items
    do not show it (hidden-waits)."""
    share = evidence.suspended_share
    return f", but the runtime was suspended {percent(share)} of the time" if share >= NOTABLE_SHARE else ""
