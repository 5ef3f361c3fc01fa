"""The evidence behind the rules: whether items wait, the share from which a cause counts, and the cost of each
cause."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray
from poolscope.base.series import Steps
from poolscope.base.stages import once_property
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.blame import Blame
from poolscope.evidence.busy_connections import BusyConnections
from poolscope.evidence.elsewhere import Elsewhere
from poolscope.evidence.measured import seconds
from poolscope.measures.calls import ConnectionLimit
from poolscope.measures.cores import Crowd, measure_crowd
from poolscope.measures.requests.held_up import SlowService, find_slow_services
from poolscope.measures.tasks import DedicatedTasks, behind_task_waits, dedicated_tasks, standing_in_task_waits


def severity_of(share: float) -> str:
    """Returns the severity for a share, 0 ... 1, of the most that a cause could have cost."""
    return "high" if share >= 0.5 else "medium" if share >= 0.25 else "low"


HEALTHY_P99_MS = 50.0
"""A p99 start, or a p99 time without a core, that users do not notice behind a network request: the same as the late
limit."""
HEALTHY_SHARE = 0.01
"""Item-seconds per second of wall time. A smaller cost of locks, cores or late timers is the background of a busy
machine."""
NOTABLE_SHARE = 0.10
"""The share of the waiting item-seconds from which a cause is worth a finding of its own: a tenth."""

CONVOY_SHARE = 0.10
"""The share of all execution spent waiting for one lock from which the lock is a convoy. As for waits, less than a
tenth is not worth a finding of its own, and no change of that lock could make the items a tenth quicker."""

SLOWED_LEAST_S = 1.0
"""The item-seconds without a core, beyond the late limit of each, from which items are slowed. As for waits, users do
not notice less."""
SLOWED = 1.0
"""The time without a core per second of the items' own time from which items that started at once were slowed: they
took twice as long as on free cores. An item that sometimes lacks a core for a moment is not slowed."""

DWARFED = 10.0
"""If items also started late, the lack of a core after the start counts only if it cost this many times the wait before
it. If 200 items started 42 ms late on average and then lacked a core for 3.7 s, the 42 ms need no mention."""

CROWDED = 2.0
"""The runnable workers per core from which the cores are crowded: each worker then has half a core at most. Without a
crowd, hill climbing adds a thread or two to the number of cores, and the gate a few more."""


@dataclass(frozen=True)
class Evidence(Elsewhere):
    """A capture with the meaning of its measures for rules: thresholds, and the cost of each cause."""

    def on(self, chosen: BoolArray, blame: Blame | None = None) -> Evidence:
        """Returns the same capture, judged by these items alone, shape (items,). `blame`: the blame of these items, if
        it was computed."""
        return replace(self, chosen=chosen, blame=blame or self.blame)

    @property
    def least_seconds(self) -> float:
        """The least cost of a cause that users notice, item-seconds or request-seconds: a second, and 1 % of the wall
        time."""
        return max(SLOWED_LEAST_S, HEALTHY_SHARE * self.wall_seconds)

    @once_property
    def late_messages(self) -> BusyConnections | None:
        """Returns messages that waited for each other, or for the same thing, and for which no item is a visible cause;
        None if they are too few to matter."""
        busy = self.busy_connections
        late = None if busy is None else busy.where(~busy.handled)
        return late if late is not None and seconds(late.cost) >= self.least_seconds else None

    def matters(self, limit: ConnectionLimit) -> bool:
        """Returns whether calls waited long enough for a connection or stream that users would notice."""
        return limit.share >= NOTABLE_SHARE and seconds(limit.held) >= self.least_seconds

    @once_property
    def is_healthy(self) -> bool:
        """Returns whether items were queued, and none was late, or not enough to matter (incidents/find.py)."""
        return self.attribution.items.count > 0 and not any(i.matters for i in self.incidents)

    @once_property
    def prompt_tasks(self) -> DedicatedTasks | None:
        """Returns the tasks with threads of their own in a process that queued nothing, if they started at once."""
        if self.attribution.items.count > 0:
            return None
        tasks = dedicated_tasks(self.capture)
        return tasks if tasks and tasks.p99_start_ns < HEALTHY_P99_MS * NS_PER_MS else None

    def is_notable(self, part: AnyArray) -> bool:
        """Returns whether a part of the wait deserves a finding."""
        return not self.is_healthy and self.item_seconds(part) >= NOTABLE_SHARE * self.waiting_item_seconds > 0

    @once_property
    def is_slowed(self) -> bool:
        """Returns whether items started on time and then lacked a core for at least as long as they ran and were
        blocked. Counts only the time beyond the late limit of each, which must be at least a second and 1 % of the wall
        time. Late starts take precedence, unless they cost a tenth of that time at most: their cost belongs to the
        wait. A crowd takes precedence, too: if fewer threads would have ended the items sooner, the threads are too
        many, and not the cores too few. Cores that a program lacks during its start do not count."""
        if self.attribution.split is None or self.attribution.items.count == 0 or self.is_oversubscribed:
            return False
        execution, items, slow = self.attribution.execution, self.attribution.items, self.slow
        if not self.is_healthy and seconds(execution.ready) < DWARFED * seconds(items.wait):
            return False
        beyond = seconds(execution.ready[slow] - self.late_limit_ms * NS_PER_MS)
        own = seconds((execution.cpu + execution.blocked)[slow])
        return beyond >= max(SLOWED * own, self.least_seconds)

    @once_property
    def slow(self) -> BoolArray:
        """Returns the items that lacked a core for longer than the late limit after their start, shape (items,)."""
        return np.asarray((self.attribution.execution.ready > self.late_limit_ms * NS_PER_MS) & ~self.while_starting)

    @once_property
    def while_starting(self) -> BoolArray:
        """Returns the items that began while the program started, shape (items,)."""
        items = self.attribution.items
        ends = [i.incident.end for i in self.incidents if i.at_start_up]
        begun = items.dequeue <= max(ends, default=-1)
        slow = np.flatnonzero(self.attribution.execution.ready > self.late_limit_ms * NS_PER_MS)
        if len(slow) and self.start_up is not None:
            first, last = int(items.dequeue[slow].min()), int(items.end[slow].max())
            if self.start_up.explains(first, last):
                begun = begun | (items.dequeue <= last)
        return np.asarray(begun)

    @once_property
    def is_well(self) -> bool:
        """Returns whether items started at once, did not queue for a lock or a core afterwards, which only moves the
        wait, and no other service delayed requests."""
        ended_late = self.has_convoy or self.is_oversubscribed or self.is_slowed or self.is_paused or self.slow_service
        return self.is_healthy and not ended_late

    @once_property
    def slow_service(self) -> SlowService | None:
        """Returns the service that cost requests most by becoming slow for a while; None: no service did, or the
        capture has no requests. The cost must be a tenth of the time in which requests waited for no thread, at least
        one request-second, and 1 % of the wall time.

        A tenth of all their time would be wrong. If threads block in calls of the service, requests wait for a thread
        many times as long as the service's own delay, and because of it.
        """
        if self.requests is None or self.request_parts is None:
            return None
        slow = next(iter(find_slow_services(self.requests)), None)
        part = self.request_parts.part
        own = seconds(self.request_parts.latency - part["unread"] - part["queued"])
        least = max(NOTABLE_SHARE * own, self.least_seconds)
        return slow if slow is not None and seconds(slow.cost) >= least else None

    @once_property
    def paused(self) -> BoolArray:
        """Returns the items that stood still in suspensions for longer than the late limit after their start, shape
        (items,)."""
        long = self.attribution.execution.runtime > self.late_limit_ms * NS_PER_MS
        return np.asarray(long & ~self.while_starting)

    @once_property
    def is_paused(self) -> bool:
        """Returns whether items started on time, and suspensions then took most of the time of the items that stood
        still for long. Counts only the time beyond the late limit of each, which must be at least a second and 1 % of
        the wall time."""
        if self.attribution.split is None or not self.is_healthy:
            return False
        execution, paused = self.attribution.execution, self.paused
        beyond = seconds(execution.runtime[paused] - self.late_limit_ms * NS_PER_MS)
        own = seconds((execution.cpu + execution.blocked)[paused])
        return beyond >= max(SLOWED * own, self.least_seconds)

    @once_property
    def lack_of_cores(self) -> AnyArray:
        """Returns the time for which each item waited for a core, ns: before its start, or after it if only that was
        long."""
        return self.attribution.execution.ready if self.is_slowed else self.split.parts.core

    @once_property
    def core_by_throttling(self) -> FloatArray:
        """Returns the part of each item's lack of cores that the CPU quota is charged with, ns: the time in which it
        had stopped a worker."""
        return np.asarray(self.lack_of_cores * self._while(self.worker_throttled))

    @once_property
    def core_by_neighbours(self) -> FloatArray:
        """Returns the part of each item's lack of cores that other processes are charged with, ns: their share of all
        core time used while a worker was ready. It counts while a worker was ready and no quota had stopped it. In the
        rest the workers had all the cores that they could use, and earlier items delayed the item."""
        theirs = np.maximum(self._while(self.worker_ready) - self._while(self.worker_throttled), 0.0)
        return np.asarray(self.lack_of_cores * self.neighbours_share * theirs)

    def _while(self, state: Steps) -> FloatArray:
        """Returns the share, 0 ... 1, of each item's wait in which the workers were in this state. After the start, an
        item lacks a core while it is ready, so the result is then a share of the time in which a worker was ready."""
        items = self.attribution.items
        if not state.value.any():  # no quota ever stopped a worker
            return np.zeros(len(items.enqueue))
        if not self.is_slowed:
            share = state.integral(items.enqueue, items.dequeue) / np.maximum(items.wait, 1)
        else:
            ready = self.worker_ready.integral(items.dequeue, items.end)
            share = state.integral(items.dequeue, items.end) / np.maximum(ready, 1.0)
        return np.asarray(np.clip(share, 0.0, 1.0))

    @once_property
    def spared_by_others(self) -> FloatArray:
        """Returns by how much each item's delay would fall, ns, if no other process had wanted a core; shape
        (items,)."""
        ladder = self.split.ladder
        without = ladder.worlds.beside(self.split.competitors.of_target)
        return np.asarray(np.maximum(ladder.as_is - without, 0.0))

    def stolen_from_items(self) -> float:
        """Returns the share of the processors that the host of a virtual machine took while the judged items waited and
        ran, 0 ... 1; 0 if the collector did not measure it."""
        if self.host_share is None:
            return 0.0
        begin, end = (
            self.of_judged(moments) for moments in (self.attribution.items.enqueue, self.attribution.items.end)
        )
        length = float((end - begin).sum())
        return float(self.host_share.integral(begin, end).sum()) / length if length > 0 else 0.0

    def cores_matter(self) -> bool:
        """Returns whether the lack of a core is a notable part of the judged items' wait."""
        core = self.split.parts.core
        return self.item_seconds(core) >= NOTABLE_SHARE * self.waiting_item_seconds

    @once_property
    def has_convoy(self) -> bool:
        """Returns whether items queue for one lock: for a tenth of their execution, and long enough that users could
        notice (a second, and 1 % of the wall time). If items started on time, only the items that the lock made late
        count: of a million timers on a busy machine, 1,686 waited for a lock, for up to 47 ms, which made none of them
        late."""
        lock = self.costliest_lock
        if lock is None:
            return False
        waited = np.bincount(lock.item, lock.end - lock.start)
        blocked = seconds(waited[waited >= self.late_limit_ms * NS_PER_MS] if self.is_healthy else waited)
        return blocked >= max(CONVOY_SHARE * self.execution_seconds, self.least_seconds)

    @once_property
    def _behind_tasks(self) -> FloatArray:
        standing = standing_in_task_waits(self.capture, self.attribution)
        return behind_task_waits(self.attribution, self.task_waits, standing)

    @once_property
    def injection_behind_tasks(self) -> FloatArray:
        """Returns the part of each item's injection delay behind threads blocked in synchronous waits for tasks, ns."""
        return self.split.parts.injection * self._behind_tasks

    @once_property
    def holding_behind_tasks(self) -> FloatArray:
        """Returns the part of each item's wait behind blocked items at the maximum that is behind such waits, ns."""
        return self.split.parts.holding * self._behind_tasks

    @once_property
    def suspended_wait(self) -> FloatArray:
        """Returns the part of each item's wait that the ladder charges to the runtime and that lay inside a suspension,
        ns."""
        items = self.attribution.items
        inside = self.attribution.suspension.integral(items.enqueue, items.dequeue)
        return np.minimum(self.split.parts.runtime, inside)

    @once_property
    def crowd(self) -> Crowd:
        return measure_crowd(self.attribution, CROWDED * self.attribution.cores)

    @once_property
    def is_oversubscribed(self) -> bool:
        """Returns whether the cores were crowded, and a thread count of at most the cores would have saved a tenth of
        the delay and, in item-seconds, 1 % of the wall time."""
        if self.attribution.split is None or self.attribution.items.count == 0:
            return False
        total = float(self.split.ladder.actual.sum()) / NS_PER_S
        least = max(NOTABLE_SHARE * total, self.least_seconds)
        return self.crowd.runnable >= CROWDED * self.attribution.cores and self.crowd.cost >= least

    def headline(self, part: AnyArray) -> str:
        """Returns a part of the wait as a finding's number: its mean per judged item and its share."""
        share = self.item_seconds(part) / self.waiting_item_seconds
        return f"{duration(self.mean_ms(part))} per item, {percent(share)} of the wait"

    def severity(self, part: AnyArray) -> str:
        """Returns the severity of a part by its share of the waiting item-seconds."""
        return severity_of(self.item_seconds(part) / self.waiting_item_seconds)
