"""Nobody waited, neither for a thread nor, once started, for a lock or in a crowd for a core."""

from __future__ import annotations

from poolscope.findings.evidence import HEALTHY_P99_MS, NOTABLE_SHARE, Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.words import duration, items, percent
from poolscope.measures.dedicated import DedicatedTasks
from poolscope.units import NS_PER_MS


class Healthy(Rule):
    """Fires when the p99 wait is below 50 ms and item-seconds of waiting beyond 10 ms are below 1 % of the wall time.

    Not where items then queue for a lock or for the cores. A process whose tasks all have threads of their own
    (LongRunning) queues nothing to the pool; there the same limit holds for the start of those tasks.
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
        return self.without_cost("ok", number, said=[said], advice=[elsewhere])


def _prompt_items(evidence: Evidence) -> tuple[str, str]:
    """The headline number and what was seen."""
    return (
        f"p99 wait {duration(evidence.p99_wait.value / NS_PER_MS)}{_but(evidence)}",
        f"{items(evidence.attribution.items.count)} waited {evidence.waiting_item_seconds:.3g} s in all, "
        f"in {evidence.wall_seconds:.3g} s of wall time; the p99 wait is below {HEALTHY_P99_MS:g} ms.",
    )


def _without_items(tasks: DedicatedTasks) -> tuple[str, str]:
    """The same of a process that queued nothing."""
    start = duration(tasks.p99_start_ns / NS_PER_MS)
    return (
        f"p99 start {start}",
        f"Nothing was queued to the pool. {tasks.count:,} tasks had a thread of their own (LongRunning); from "
        f"scheduling to start the p99 is {start}, below {HEALTHY_P99_MS:g} ms.",
    )


def _but(evidence: Evidence) -> str:
    """In a pause threads that would queue items stand still too, so the waits of items do not show it
    (hidden-waits)."""
    share = evidence.suspended_share
    return f", but the runtime was suspended {percent(share)} of the time" if share >= NOTABLE_SHARE else ""
