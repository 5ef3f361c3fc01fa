"""Timer callbacks ran late because they waited for a thread of the pool."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent, times
from poolscope.evidence.evidence import HEALTHY_SHARE, Evidence
from poolscope.evidence.where import Costs
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.timers import TimerCallbacks, measure_timers

LATE_MS = 100.0
"""Far beyond the best that a timer can do, given the ticks of the runtime's clock (up to 16 ms) and the scheduler of a
busy machine. As for waits, less than half of the pool's own reaction time is rarely noticed."""
LATE_SHARE = 0.1
"""A share of the timer's interval. As for waits, less than a tenth is not worth a finding."""
LATE_ANYHOW_MS = 1000.0
"""Late whatever the interval: the pool takes a second to inject a thread, and a second of waiting for a timer is
noticed."""
EXPLAINED = 0.5
"""The share of a callback's lateness that must be waiting for a thread for this to be the cause. The rest, such as a
timer thread without a core, is then the smaller part."""

MEDIUM_MS, HIGH_MS = 500.0, 2000.0
"""The longest lateness from which each severity applies: the pool's own reaction time, and more than one injected
thread."""


class LateTimers(Rule):
    """Fires when callbacks ran notably late, mostly because they waited for a thread, by 1 % of the wall time in all.

    This is a symptom and never the verdict: a timer callback waits for the same reasons as any item, and other rules
    cover these. It is not compared with all waiting item-seconds, because a heartbeat is one item among thousands.
    """

    id = "late-timers"
    title = "Timers ran when they were due"
    failing_title = "Timers fired late: no free thread"
    needs = ("work_items", "timers")
    documentation = "late-timers"
    golden = ""

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if no timer was started and ran, because there is nothing to judge."""
        lacking = super().missing(evidence)
        if not lacking and not (evidence.capture.table("timers")["due"].to_numpy() >= 0).any():
            return ["timers that were started in the capture"]
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        timers = measure_timers(evidence.capture)
        late = _notably_late(timers)
        cost = float(timers.waited[late].sum()) / NS_PER_S
        if evidence.is_healthy or not late.any() or cost < HEALTHY_SHARE * evidence.wall_seconds:
            return None
        longest = float(timers.late[late].max()) / NS_PER_MS
        mean = float(timers.late[late].mean()) / NS_PER_MS
        return Finding(
            id=self.id,
            severity="high" if longest >= HIGH_MS else "medium" if longest >= MEDIUM_MS else "low",
            title=self.failing_title,
            number=_number(timers.count, int(late.sum()), duration(mean), duration(longest)),
            item_seconds=cost,
            because="timers' callbacks waited for a thread",
            evidence=_seen(timers, late),
            advice=[
                "The timers were late for the same reason as the other items: fix that first. A callback needs a "
                "thread of the pool. The runtime queues the first due timer ahead of the other items, and the rest at "
                "the end of the queue. All of them wait until an item gives up its thread.",
                "Run work that must be on time even if the pool is busy (heartbeats, lease renewals, watchdogs) on a "
                "thread of its own that sleeps until the work is due.",
            ],
            predicted=[],
            where=self.at(evidence, _waits(timers, late)),
        )


def _waits(timers: TimerCallbacks, late: BoolArray) -> Costs:
    """Returns the waits from due time to callback, for late callbacks whose item is known."""
    known = late & (timers.item >= 0)
    due = timers.due[known]
    return Costs(timers.item[known], due, due + timers.late[known], timers.waited[known])


def _notably_late(timers: TimerCallbacks) -> BoolArray:
    bearable = np.clip(LATE_SHARE * timers.interval, LATE_MS * NS_PER_MS, LATE_ANYHOW_MS * NS_PER_MS)
    return np.asarray((timers.late > bearable) & (timers.waited >= EXPLAINED * timers.late))


def _number(count: int, late: int, mean: str, longest: str) -> str:
    if late == 1:
        return (
            f"1 of {count:,} timer callbacks {longest} late" if count > 1 else f"the one timer callback {longest} late"
        )
    return f"{late:,} of {count:,} timer callbacks {mean} late on average, {longest} at most"


def _seen(timers: TimerCallbacks, late: BoolArray) -> list[str]:
    worst = int(np.flatnonzero(late)[timers.late[late].argmax()])
    every = "every " if timers.periodic[worst] else "to "
    said = [
        f"{percent(float(timers.waited[late].sum() / timers.late[late].sum()))} of that lateness was waiting in the pool's "
        "queue for a thread.",
        f"The latest was set {every}{duration(timers.interval[worst] / NS_PER_MS)}, due {duration(timers.due[worst] / NS_PER_MS)} "
        f"into the capture, and ran {duration(timers.late[worst] / NS_PER_MS)} after that.",
    ]
    other = int(((timers.late > LATE_MS * NS_PER_MS) & ~late).sum())
    if other:
        said.append(
            f"Callbacks ran more than {LATE_MS:g} ms late another {times(other)}: for other reasons, or late by little compared with their period."
        )
    if timers.unknown:
        said.append(
            f"The capture does not show when {timers.unknown:,} more "
            f"callback{' was' if timers.unknown == 1 else 's were'} due: the timers started before it."
        )
    return said
