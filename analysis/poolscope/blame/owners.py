"""Who held a lock while items' threads waited for it, and what the owner was doing meanwhile.

The runtime says who owns a lock at two kinds of moments: when a thread begins to wait (the owner's OS thread id) and when
a wait ends (that thread owns it now). From one such moment to the next the owner of the first is taken to hold it: also
during the handover, and while a thread that took the lock without a contention has it, which no event tells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poolscope.arrays import BoolArray, FloatArray, IntArray
from poolscope.attribution import Attribution
from poolscope.attribution.execution import BLOCKED, READY, RUNNING
from poolscope.blame.evidence import CONTENTION, Blocked, waiting_items
from poolscope.blame.kinds import kind_of, user_method
from poolscope.lookup import latest
from poolscope.blame.stacks import StackNames
from poolscope.capture import Capture
from poolscope.measures.locks import LockWaits
from poolscope.series import Steps
from poolscope.units import NS_PER_S

OWNERS_SHOWN = 5
LOCKS_FOLLOWED = 30
"""The dearest locks of a row: beyond, what is left is too little to be worth the time."""
MOSTLY = 0.5
"""An owner that was blocked for at least this share was waiting, and its wait has a kind. Wait events say what it was
doing when they tell of at least this share."""

_Sums = dict[int, float]


@dataclass
class Held:
    """What one owner, or all of them, did while others waited for its lock. Thread-seconds of those that waited."""

    cpu: float = 0.0
    blocked: float = 0.0
    ready: float = 0.0
    thread_s: float = 0.0
    """The three, and the time of which the kernel stream knows nothing."""
    by_event: float = 0.0
    """Of which a wait event of the owner's tells."""
    event_stacks: _Sums = field(default_factory=dict)
    """Thread-seconds by `stacks.id`."""
    snapshot_stacks: _Sums = field(default_factory=dict)
    """How many threads waited when a snapshot of the owner was taken, summed, by `stacks.id`."""
    cpu_stacks: _Sums = field(default_factory=dict)
    """The same for CPU samples of the owner."""
    items: _Sums = field(default_factory=dict)
    """Thread-seconds by `work_items.id` of the item that the owner ran."""

    def add(self, other: Held) -> None:
        self.cpu += other.cpu
        self.blocked += other.blocked
        self.ready += other.ready
        self.thread_s += other.thread_s
        self.by_event += other.by_event
        for name in ("event_stacks", "snapshot_stacks", "cpu_stacks", "items"):
            mine: _Sums = getattr(self, name)
            for key, value in getattr(other, name).items():
                mine[key] = mine.get(key, 0.0) + value

    def describe(self, names: StackNames) -> dict[str, Any]:
        waiting = self.blocked >= MOSTLY * self.thread_s
        if self.by_event >= MOSTLY * self.thread_s:
            known_by, stacks = "event", self.event_stacks
        elif self.cpu_stacks and not waiting:
            known_by, stacks = "cpu-sample", self.cpu_stacks
        else:
            known_by, stacks = "snapshot", self.snapshot_stacks
        stack = min(stacks, key=lambda s: (-stacks[s], s), default=None)
        path = [] if stack is None else names.path(stack)
        return {
            "thread_s": round(self.thread_s, 6),
            "was": {"cpu": round(self.cpu, 6), "blocked": round(self.blocked, 6), "ready": round(self.ready, 6)},
            "method": user_method(path),
            "kind": kind_of(path) if path and waiting else None,
            "known_by": known_by if path else None,
            "stack": path,
        }


@dataclass(frozen=True)
class Owners:
    """The owners of the locks of one row of blame."""

    by_tid: dict[int, Held]
    thread_names: dict[int, str]
    names: StackNames

    def to_json(self) -> dict[str, Any]:
        """All owners together, and the dearest ones."""
        everyone = Held()
        for held in self.by_tid.values():
            everyone.add(held)
        dearest = sorted(self.by_tid.items(), key=lambda o: (-o[1].thread_s, o[0]))[:OWNERS_SHOWN]
        return {
            "threads": len(self.by_tid),
            **everyone.describe(self.names),
            "owners": [
                {
                    "tid": tid,
                    "name": self.thread_names.get(tid),
                    "item": min(held.items, key=lambda i: (-held.items[i], i), default=None),
                    **held.describe(self.names),
                }
                for tid, held in dearest
            ],
        }


class OwnerSearch:
    """What the tables of one capture say about the owners of locks."""

    def __init__(self, capture: Capture, attribution: Attribution, names: StackNames) -> None:
        self._capture = capture
        self._base = base = capture.window[0]
        self._names = names
        self._waiting = waiting_items(attribution)
        self._items = items = attribution.items
        # In the order that makes each owner's items one stretch: sorting them for each owner would cost more than all else.
        self._by_worker = np.lexsort((items.dequeue, items.worker))
        self._workers = items.worker[self._by_worker]
        # One lock is waited for from many places, and what its events tell is the same for each.
        self._known_periods: dict[int, dict[int, tuple[IntArray, IntArray]]] = {}
        states = capture.table("thread_states")
        self._states = {
            state: _ByThread.of(rows["tid"], rows["start"] - base, rows["end"] - base)
            for state in (RUNNING, BLOCKED, READY)
            for rows in (states[states["state"].to_numpy() == state],)
        }
        waits = capture.table("waits")
        end = np.where(waits["end"].to_numpy() < 0, capture.window[1], waits["end"].to_numpy())
        self._waits = _ByThread.of(waits["tid"], waits["start"] - base, end - base, waits["stack"])
        self._samples = {
            table: _ByThread.of(rows["tid"], rows["time"] - base, rows["time"] - base, rows["stack"])
            for table in ("snapshots", "cpu_samples")
            if capture.has(table)
            for rows in (capture.table(table),)
            if "stack" in rows.columns
        }

    def of(self, blocked: Blocked, chosen: BoolArray) -> Owners | None:
        """The owners of the locks that the `chosen` stretches waited for, while items waited in the queue. None: no event
        tells of one."""
        return self._search(
            blocked.contended[chosen], blocked.start[chosen], blocked.end[chosen], blocked.held[chosen], self._waiting
        )

    def of_lock(self, waits: LockWaits) -> Owners | None:
        """The owners of one lock, whether or not items waited in the queue."""
        lock = np.full(len(waits.start), waits.lock, dtype=np.int64)
        return self._search(lock, waits.start, waits.end, waits.end - waits.start, Steps.constant(1.0))

    def _search(self, lock: IntArray, start: IntArray, end: IntArray, held: IntArray, counts: Steps) -> Owners | None:
        locks, which = np.unique(lock, return_inverse=True)
        cost = np.bincount(which, held, len(locks))
        by_tid: dict[int, Held] = {}
        for index in np.argsort(-cost, kind="stable")[:LOCKS_FOLLOWED].tolist():
            mine = which == index
            waiters = _Waiters(Steps.count(start[mine], end[mine]).combine(counts, np.multiply))
            for tid, (begin, stop) in self._periods(int(locks[index])).items():
                if waiters.total(begin, stop) > 0:
                    by_tid.setdefault(tid, Held()).add(self._during(tid, begin, stop, waiters))
        if not by_tid:
            return None
        threads = self._capture.table("threads").drop_duplicates("tid", keep="last").set_index("tid")["name"]
        known = {int(t): n for t, n in threads[threads.index.isin(list(by_tid))].items() if isinstance(n, str)}
        return Owners(by_tid, known, self._names)

    def _periods(self, lock: int) -> dict[int, tuple[IntArray, IntArray]]:
        """By owner: the disjoint intervals in which it is taken to hold the lock, in order."""
        if lock not in self._known_periods:
            self._known_periods[lock] = self._told_periods(lock)
        return self._known_periods[lock]

    def _told_periods(self, lock: int) -> dict[int, tuple[IntArray, IntArray]]:
        waits = self._capture.table("waits")
        rows = waits[(waits["kind"].to_numpy() == CONTENTION) & (waits["object"].to_numpy() == lock)]
        moments = []
        for row in rows[["start", "end", "tid", "owner_tid"]].itertuples(index=False):
            moments.append((int(row.start) - self._base, 0, int(row.tid), int(row.owner_tid)))
            if row.end >= 0:
                moments.append((int(row.end) - self._base, 1, int(row.tid), int(row.tid)))
        moments.sort()
        found: dict[int, list[tuple[int, int]]] = {}
        owner, since = -1, 0
        for time, over, waiter, told in [*moments, (self._capture.window[1] - self._base, 1, -1, -2)]:
            # A thread that begins to wait for a lock does not hold it, whoever does.
            new = told if told != -1 else -1 if waiter == owner and not over else owner
            if new != owner:
                if owner >= 0 and time > since:
                    found.setdefault(owner, []).append((since, time))
                owner, since = new, time
        return {
            tid: (np.array([p[0] for p in periods], dtype=np.int64), np.array([p[1] for p in periods], dtype=np.int64))
            for tid, periods in found.items()
        }

    def _during(self, tid: int, begin: IntArray, stop: IntArray, waiters: _Waiters) -> Held:
        held = Held(thread_s=waiters.total(begin, stop))
        held.cpu, held.blocked, held.ready = (
            waiters.total(*self._states[state].within(tid, begin, stop)[:2]) for state in (RUNNING, BLOCKED, READY)
        )
        start, end, stack = self._waits.within(tid, begin, stop)
        start, end, stack = start[stack >= 0], end[stack >= 0], stack[stack >= 0]
        # Waits nest (a contention and the wait inside it): the union is what they tell of, not the sum.
        held.by_event = waiters.total(*_union(start, end))
        held.event_stacks = _sums(stack, waiters.each(start, end))
        for table, samples in self._samples.items():
            time, _, stack = samples.within(tid, begin, stop)
            sums = _sums(stack[stack >= 0], waiters.at(time[stack >= 0]))
            if table == "snapshots":
                held.snapshot_stacks = sums
            else:
                held.cpu_stacks = sums
        items = self._items
        first, last = np.searchsorted(self._workers, [tid, tid + 1])
        run = self._by_worker[first:last]
        at, found = latest(np.zeros(len(run), dtype=np.int64), items.dequeue[run], np.zeros_like(begin), begin)
        inside = found & (items.end[run[at]] > begin) if len(run) else found
        held.items = _sums(items.row[run[at[inside]]], waiters.each(begin[inside], stop[inside]))
        return held


class _Waiters:
    """How many threads wait for a lock, over time."""

    def __init__(self, count: Steps) -> None:
        self._count = count
        self._area = np.concatenate(([0.0], np.cumsum(count.value[:-1] * np.diff(count.time))))

    def at(self, time: IntArray) -> FloatArray:
        return self._count.at(time)

    def each(self, begin: IntArray, stop: IntArray) -> FloatArray:
        """Thread-seconds within each interval."""
        return np.asarray((self._until(stop) - self._until(begin)) / NS_PER_S)

    def total(self, begin: IntArray, stop: IntArray) -> float:
        return float(self.each(begin, stop).sum())

    def _until(self, time: IntArray) -> FloatArray:
        # As Steps.integral, with its running sum kept: it is asked for once per owner, and is as long as the capture.
        steps = self._count
        at = np.clip(np.searchsorted(steps.time, time, side="right") - 1, 0, len(steps.time) - 1)
        return np.asarray(self._area[at] + steps.value[at] * (time - steps.time[at]))


@dataclass(frozen=True)
class _ByThread:
    """Intervals or moments in order of thread and start."""

    tid: IntArray
    start: IntArray
    end: IntArray
    stack: IntArray

    @staticmethod
    def of(tid: Any, start: Any, end: Any, stack: Any = None) -> _ByThread:
        tids, starts, ends = (np.asarray(c, dtype=np.int64) for c in (tid, start, end))
        stacks = np.full(len(tids), -1, dtype=np.int64) if stack is None else np.asarray(stack, dtype=np.int64)
        order = np.lexsort((starts, tids))
        return _ByThread(tids[order], starts[order], ends[order], stacks[order])

    def within(self, tid: int, begin: IntArray, stop: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Start, end and stack of the thread's rows, cut to each of the disjoint intervals [begin, stop]."""
        low, high = np.searchsorted(self.tid, [tid, tid + 1])
        start, end, stack = self.start[low:high], self.end[low:high], self.stack[low:high]
        first = np.searchsorted(stop, start, side="left")
        last = np.searchsorted(begin, end, side="right")
        count = np.maximum(last - first, 0)
        row = np.repeat(np.arange(len(start)), count)
        interval = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())
        return np.maximum(start[row], begin[interval]), np.minimum(end[row], stop[interval]), stack[row]


def _sums(key: IntArray, weight: FloatArray) -> _Sums:
    """Weights above zero, summed by key."""
    keys, which = np.unique(key, return_inverse=True)
    total = np.bincount(which, weight, len(keys))
    return {k: w for k, w in zip(keys.tolist(), total.tolist(), strict=True) if w > 0}


def _union(start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """The same time as disjoint intervals."""
    if len(start) == 0:
        return start, end
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order])
    first = np.flatnonzero(np.append(True, start[1:] > end[:-1]))
    return start[first], end[np.append(first[1:] - 1, len(end) - 1)]
