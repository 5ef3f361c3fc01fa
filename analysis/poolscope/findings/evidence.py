"""What rules judge by: whether anybody waits, from which share on a cause counts, and what each is charged with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.arrays import AnyArray, FloatArray
from poolscope.findings.finding import severity_of
from poolscope.findings.measured import Measured
from poolscope.measures.crowd import Crowd, measure_crowd
from poolscope.measures.dedicated import DedicatedTasks, dedicated_tasks
from poolscope.measures.task_waits import behind_task_waits
from poolscope.series import Steps
from poolscope.units import NS_PER_MS, NS_PER_S
from poolscope.words import duration, percent

HEALTHY_P99_MS = 50.0
"""A p99 wait that nobody notices behind a network request; the pool's own reaction time is 500 ms."""
HEALTHY_SHARE = 0.01
"""Waiting item-seconds per second of wall time beyond what nobody notices: guards against the few items in a hundred
that the p99 does not see."""
HEALTHY_LEAST_S = 2.0
"""Item-seconds beyond what nobody notices that are none of these yet: a hundred items that are queued at once and all begun
within 50 ms, as a service does when it starts, cost up to two. In a capture of minutes that is nothing; whether it is
healthy must not hang on how soon after it somebody stopped recording. Only where the longest wait is below 50 ms as
well: else one item that is two seconds late among a thousand would be healthy."""
UNNOTICED_MS = 10.0
"""Of each wait so much does not count. Waking a worker takes about 0.05 ms here and a new thread up to 0.5 ms, which at
1,000 items a second is several per cent of the wall time already; and a burst of a thousand items that are queued at
once is handed out in 3 ms. Nobody waits there. Ten milliseconds are a few time slices of the kernel's scheduler."""
NOTABLE_SHARE = 0.10
"""A cause with less than a tenth of the waiting item-seconds is not worth a finding of its own."""

CONVOY_SHARE = 0.10
"""Of all execution spent waiting for one lock: as for waits, less than a tenth is not worth a finding of its own, and
no change of that lock could make the items a tenth quicker."""

SLOWED_LEAST_S = 1.0
"""Item-seconds without a core, beyond what nobody notices of each, from which items are slowed whose p99 without a core is
below 50 ms: a second is always notable. One item of 600 that lacked a core for 59 ms slows nobody, though that be 1 % of a
capture of four seconds."""
SLOWED = 1.0
"""Time without a core per second of items' own time from which items that started at once were slowed: they took twice as
long as on free cores. An item that a core is short of now and then is not ill."""

DWARFED = 10.0
"""Times all waiting before the start that lacking a core after it must cost to be judged by, where items started late as
well: 200 items that started 42 ms late on average and then lacked a core for 3.7 s have not to be told of the 42 ms."""

CROWDED = 2.0
"""Runnable workers per core from which the cores are crowded: each then has half a core at most. Hill climbing adds a
thread or two to as many as there are cores, and the gate a few, without that."""


@dataclass(frozen=True)
class Evidence(Measured):
    """A capture with what its measures mean for rules: thresholds, and what each cause is charged with."""

    @cached_property
    def is_healthy(self) -> bool:
        """Nobody waits: p99 below 50 ms, and item-seconds of waiting beyond 10 ms per item below 1 % of the wall
        time; below 2 s in all where not one waits for 50 ms."""
        if self.attribution.items.count == 0:
            return False
        beyond = np.maximum(self.attribution.items.wait - UNNOTICED_MS * NS_PER_MS, 0.0)
        unnoticed = HEALTHY_P99_MS * NS_PER_MS
        least = HEALTHY_LEAST_S if self.attribution.items.wait.max() < unnoticed else 0.0
        few = self.item_seconds(beyond) < max(HEALTHY_SHARE * self.wall_seconds, least)
        return few and self.p99_wait.value < unnoticed

    @cached_property
    def prompt_tasks(self) -> DedicatedTasks | None:
        """Of a process that queued nothing: its tasks with threads of their own, if these started at once."""
        if self.attribution.items.count > 0:
            return None
        tasks = dedicated_tasks(self.capture)
        return tasks if tasks and tasks.p99_start_ns < HEALTHY_P99_MS * NS_PER_MS else None

    def is_notable(self, part: AnyArray) -> bool:
        """Whether a part of the wait deserves a finding."""
        return not self.is_healthy and self.item_seconds(part) >= NOTABLE_SHARE * self.waiting_item_seconds > 0

    @cached_property
    def is_slowed(self) -> bool:
        """Items started at once, and were then as long without a core as they had a use for one or were blocked; beyond
        10 ms per item at least 1 % of the wall time, as for waits, and a second where 99 in a hundred lacked one for less than
        50 ms. Late starts come first, unless they cost a tenth of that at most: what they cost is the wait's. So does a crowd: where fewer threads would have ended the
        items sooner, these are too many, and not the cores too few."""
        if self.attribution.split is None or self.attribution.items.count == 0 or self.is_oversubscribed:
            return False
        execution = self.attribution.execution
        if not self.is_healthy and self.item_seconds(execution.ready) < DWARFED * self.waiting_item_seconds:
            return False
        beyond = self.item_seconds(np.maximum(execution.ready - UNNOTICED_MS * NS_PER_MS, 0.0))
        own = self.item_seconds(execution.cpu + execution.blocked)
        few = float(np.quantile(execution.ready, 0.99)) < HEALTHY_P99_MS * NS_PER_MS
        least = SLOWED_LEAST_S if few else 0.0
        return beyond >= max(SLOWED * own, HEALTHY_SHARE * self.wall_seconds, least)

    @cached_property
    def is_well(self) -> bool:
        """Items started at once, and then neither queued for a lock nor for a core: that only moves the wait."""
        return self.is_healthy and not (self.has_convoy or self.is_oversubscribed or self.is_slowed)

    @cached_property
    def lack_of_cores(self) -> AnyArray:
        """What each item waited for a core, ns: before its start, or after it where only that was long."""
        return self.attribution.execution.ready if self.is_slowed else self.split.parts.core

    @cached_property
    def core_by_throttling(self) -> FloatArray:
        """Of each item's lack of cores what the CPU quota is charged with, ns: the time in which it had stopped a worker."""
        return np.asarray(self.lack_of_cores * self._while(self.worker_throttled))

    @cached_property
    def core_by_neighbours(self) -> FloatArray:
        """Of each item's lack of cores what other processes are charged with, ns: their share of all core time that anybody
        had while a worker was ready, for as much of the time as one was and no quota had stopped it. In the rest the workers had
        all the cores that they could use, and what held the item up was what ran before it."""
        theirs = np.maximum(self._while(self.worker_ready) - self._while(self.worker_throttled), 0.0)
        return np.asarray(self.lack_of_cores * self.neighbours_share * theirs)

    def _while(self, state: Steps) -> FloatArray:
        """The share, 0 ... 1, of each item's wait that this state of the workers lasted. After the start lacking a core is
        being ready: there of the time that a worker was."""
        items = self.attribution.items
        if not self.is_slowed:
            share = state.integral(items.enqueue, items.dequeue) / np.maximum(items.wait, 1)
        else:
            ready = self.worker_ready.integral(items.dequeue, items.end)
            share = state.integral(items.dequeue, items.end) / np.maximum(ready, 1.0)
        return np.asarray(np.clip(share, 0.0, 1.0))

    @cached_property
    def has_convoy(self) -> bool:
        """Items queue for one lock: a tenth of their execution, and enough that somebody could notice (as for waits,
        1 % of the wall time)."""
        if self.dearest_lock is None:
            return False
        blocked = self.dearest_lock.total / NS_PER_S
        return blocked >= max(CONVOY_SHARE * self.execution_seconds, HEALTHY_SHARE * self.wall_seconds)

    @cached_property
    def _behind_tasks(self) -> FloatArray:
        return behind_task_waits(self.attribution, self.task_waits)

    @cached_property
    def injection_behind_tasks(self) -> FloatArray:
        """Of each item's injection delay: behind threads blocked in synchronous waits for tasks, ns."""
        return self.split.parts.injection * self._behind_tasks

    @cached_property
    def holding_behind_tasks(self) -> FloatArray:
        """The same of the wait behind blocked items at the maximum."""
        return self.split.parts.holding * self._behind_tasks

    @cached_property
    def suspended_wait(self) -> FloatArray:
        """Of each item's wait what the ladder charges to the runtime and lay inside a suspension, ns."""
        items = self.attribution.items
        inside = self.attribution.suspension.integral(items.enqueue, items.dequeue)
        return np.minimum(self.split.parts.runtime, inside)

    @cached_property
    def crowd(self) -> Crowd:
        return measure_crowd(self.attribution, CROWDED * self.attribution.cores)

    @cached_property
    def is_oversubscribed(self) -> bool:
        """Crowded cores, and a tenth of the delay, and of item-seconds 1 % of the wall time, that no more threads than
        cores would have saved."""
        if self.attribution.split is None or self.attribution.items.count == 0:
            return False
        total = float(self.split.ladder.actual.sum()) / NS_PER_S
        least = max(NOTABLE_SHARE * total, HEALTHY_SHARE * self.wall_seconds)
        return self.crowd.runnable >= CROWDED * self.attribution.cores and self.crowd.cost >= least

    def headline(self, part: AnyArray) -> str:
        """A part of the wait as a finding's number: its mean per item and its share."""
        share = float(part.sum()) / float(self.split.parts.wait.sum())
        return f"{duration(float(part.mean()) / NS_PER_MS)} per item, {percent(share)} of the wait"

    def severity(self, part: AnyArray) -> str:
        """By share of the waiting item-seconds."""
        return severity_of(self.item_seconds(part) / self.waiting_item_seconds)
