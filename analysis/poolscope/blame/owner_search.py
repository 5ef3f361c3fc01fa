"""Finds the owners of a lock while items' threads waited for it.

The runtime names the owner of a lock at two kinds of moments: when a thread begins to wait (the owner's OS thread id)
and when a wait ends (that thread owns the lock now). Between two such moments, the search assumes that the owner of the
first one holds the lock. This includes the handover, and the time of a thread that took the lock without a contention,
which no event shows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.lookup import Runs, is_among
from poolscope.base.searches import cut, rows_before
from poolscope.base.series import Steps
from poolscope.base.stages import once
from poolscope.base.units import NS_PER_S
from poolscope.blame.evidence import CONTENTION, Blocked, waiting_items
from poolscope.blame.owners import Held, Owners, Sums
from poolscope.blame.spans import Spans, ThreadRows
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.contract.tables import TableName
from poolscope.executions.segments import BLOCKED, READY, RUNNING
from poolscope.measures.locks import LockWaits

LOCKS_FOLLOWED = 30
"""The number of costliest locks of a row that are followed. The rest costs too little to be worth the time."""


class OwnerSearch:
    """The tables of one capture that show the owners of locks."""

    def __init__(self, capture: DecodedCapture, attribution: Attribution) -> None:
        self._capture = capture
        self._base = base = capture.window[0]
        self._names = stack_names(capture, attribution)
        self._waiting = waiting_items(attribution)
        items = attribution.items
        self._runs = ThreadRows.of(items.worker, items.dequeue, items.end, items.row)
        # Many places wait for one lock, and its events give the same periods for each place.
        self._known_periods: dict[int, Spans] = {}
        waits = capture.table("waits")
        self._threads = Runs.of(capture.table("thread_states")["tid"].to_numpy())
        end = np.where(waits["end"].to_numpy() < 0, capture.window[1], waits["end"].to_numpy())
        told = waits["stack"].to_numpy() >= 0
        self._waits = ThreadRows.of(
            waits["tid"][told], (waits["start"] - base)[told], end[told] - base, waits["stack"][told]
        )
        sampled: tuple[TableName, ...] = ("snapshots", "cpu_samples")
        self._samples = {
            table: ThreadRows.of(rows["tid"], rows["time"] - base, rows["time"] - base, rows["stack"])
            for table in sampled
            if capture.has(table)
            for rows in (capture.table(table),)
            if "stack" in rows.columns
        }

    def of(self, blocked: Blocked, chosen: BoolArray) -> Owners | None:
        """Returns the owners of the locks that the `chosen` stretches waited for, while items waited in the queue.
        Returns None if no event shows an owner."""
        return self._search(
            blocked.contended[chosen], blocked.start[chosen], blocked.end[chosen], blocked.held[chosen], self._waiting
        )

    def of_lock(self, waits: LockWaits) -> Owners | None:
        """Returns the owners of one lock, whether or not items waited in the queue."""
        lock = np.full(len(waits.start), waits.lock, dtype=np.int64)
        return self._search(lock, waits.start, waits.end, waits.end - waits.start, Steps.constant(1.0))

    def _search(self, lock: IntArray, start: IntArray, end: IntArray, held: IntArray, counts: Steps) -> Owners | None:
        locks, which = np.unique(lock, return_inverse=True)
        cost = np.bincount(which, held, len(locks))
        by_tid: dict[int, Held] = {}
        for index in np.argsort(-cost, kind="stable")[:LOCKS_FOLLOWED].tolist():
            mine = which == index
            waiters = _Waiters(Steps.count(start[mine], end[mine]), counts)
            for tid, of_lock in self._during(self._periods(int(locks[index])), waiters).items():
                by_tid.setdefault(tid, Held()).add(of_lock)
        if not by_tid:
            return None
        threads = self._capture.table("threads").drop_duplicates("tid", keep="last").set_index("tid")["name"]
        known = {int(t): n for t, n in threads[threads.index.isin(list(by_tid))].items() if isinstance(n, str)}
        return Owners(by_tid, known, self._names)

    @property
    def _states(self) -> pd.DataFrame:
        return self._capture.table("thread_states")  # not kept, so that the capture can free it

    def _states_within(self, spans: Spans) -> tuple[Spans, AnyArray]:
        """Returns the threads' states cut to each span, and which state each is."""
        state, first, last = (self._states[name].to_numpy() for name in ("state", "start", "end"))
        rows, groups = (first, last), (self._threads.first, self._threads.count)
        asked = spans.start + self._base, spans.end + self._base
        found = cut(rows, groups, self._threads.number(spans.tid), asked)
        if found is None:
            return self._kept_states.within(spans)
        span, row, start, end = found
        return Spans(spans.tid[span], start - self._base, end - self._base), state[row]

    @cached_property
    def _kept_states(self) -> ThreadRows:
        """The states of the threads that may have owned a lock: those that waited for one, and the owners that events
        name."""
        waits = self._capture.table("waits")
        contended = waits["kind"].to_numpy() == CONTENTION
        owners = np.union1d(waits["tid"].to_numpy()[contended], waits["owner_tid"].to_numpy()[contended])
        states = self._states
        rows = np.flatnonzero(is_among(states["tid"].to_numpy(), owners))
        tid, start, end, state = (states[name].to_numpy()[rows] for name in ("tid", "start", "end", "state"))
        return ThreadRows.of(tid, start - self._base, end - self._base, state)

    def _periods(self, lock: int) -> Spans:
        """Returns the periods in which each owner holds the lock: disjoint, in order of time."""
        if lock not in self._known_periods:
            self._known_periods[lock] = self._told_periods(lock)
        return self._known_periods[lock]

    @cached_property
    def _contentions(self) -> tuple[IntArray, dict[str, IntArray]]:
        """The contentions in order of their lock: the locks, and the columns."""
        waits = self._capture.table("waits")
        rows = np.flatnonzero(waits["kind"].to_numpy() == CONTENTION)
        lock = waits["object"].to_numpy()[rows]
        order = np.argsort(lock, kind="stable")
        columns = ("start", "end", "tid", "owner_tid")
        return lock[order].astype(np.int64), {
            name: waits[name].to_numpy()[rows[order]].astype(np.int64) for name in columns
        }

    def _told_periods(self, lock: int) -> Spans:
        locks, columns = self._contentions
        first, last = int(np.searchsorted(locks, lock, side="left")), int(np.searchsorted(locks, lock, side="right"))
        start, end, tid, told = (columns[name][first:last] for name in ("start", "end", "tid", "owner_tid"))
        over = end >= 0
        moments = np.stack(
            (
                np.concatenate((start, end[over])) - self._base,
                np.concatenate((np.zeros(len(start), dtype=np.int64), np.ones(int(over.sum()), dtype=np.int64))),
                np.concatenate((tid, tid[over])),
                np.concatenate((told, tid[over])),
            )
        )
        moments = moments[:, np.lexsort(moments[::-1])]
        time, ended, waiter, named = np.append(moments, [[self._capture.window[1] - self._base], [1], [-1], [-2]], 1)
        row = np.arange(len(time))
        named_last = np.maximum.accumulate(np.where(named != -1, row, -1))
        owner = np.where(named_last >= 0, named[named_last], -1)
        # A thread that begins to wait for a lock does not hold it, even if the owner is unknown.
        tells = (named != -1) | ((waiter == owner) & (ended == 0))
        time, owner = time[tells], named[tells]
        new = owner != np.append(-1, owner[:-1])
        time, owner = time[new], owner[new]
        held = (owner[:-1] >= 0) & (time[1:] > time[:-1])
        return Spans(owner[:-1][held], time[:-1][held], time[1:][held])

    def _during(self, periods: Spans, waiters: _Waiters) -> dict[int, Held]:
        """Returns the activity of each owner while any thread waited. Searches once for all owners: owners are many,
        and the tables are as long as the capture."""
        waited = waiters.each(periods.start, periods.end)
        periods, waited = periods.where(waited > 0), waited[waited > 0]
        if len(periods.tid) == 0:
            return {}
        spans = periods.within(*waiters.stretches)
        owners = np.unique(periods.tid)

        def summed(tid: IntArray, time: FloatArray) -> FloatArray:
            return np.bincount(rows_before(owners, tid), time, len(owners)) / NS_PER_S

        def total(parts: Spans) -> FloatArray:
            return summed(parts.tid, waiters.each(parts.start, parts.end))

        def sums(tid: IntArray, key: IntArray, weight: FloatArray) -> list[Sums]:
            return _sums(rows_before(owners, tid), key, weight, len(owners))

        states, state = self._states_within(spans)
        meanwhile = waiters.each(states.start, states.end)
        time = {
            which: summed(states.tid[state == which], meanwhile[state == which]) for which in (RUNNING, BLOCKED, READY)
        }
        waits, stack = self._waits.within(spans)
        event_stacks = sums(waits.tid, stack, waiters.each(waits.start, waits.end) / NS_PER_S)
        stacks = {}
        for table, samples in self._samples.items():
            moments, stack = samples.within(spans)
            known = stack >= 0
            stacks[table] = sums(moments.tid[known], stack[known], waiters.at(moments.start[known]))
        run, found = self._runs.latest(periods.tid, periods.start)
        ended = self._runs.time_of(self._runs.end_keys[run]) if found.any() else periods.start
        inside = found & (ended > periods.start)
        items = sums(periods.tid[inside], self._runs.value[run[inside]], waited[inside] / NS_PER_S)
        whole = total(spans)
        # Waits nest (a contention and the wait inside it), so their union counts, not their sum.
        by_event = total(waits.union())
        return {
            tid: Held(
                cpu=float(time[RUNNING][i]),
                blocked=float(time[BLOCKED][i]),
                ready=float(time[READY][i]),
                thread_s=float(whole[i]),
                by_event=float(by_event[i]),
                event_stacks=event_stacks[i],
                snapshot_stacks=stacks["snapshots"][i] if "snapshots" in stacks else {},
                cpu_stacks=stacks["cpu_samples"][i] if "cpu_samples" in stacks else {},
                items=items[i],
            )
            for i, tid in enumerate(owners.tolist())
        }


@once
def owner_search(capture: DecodedCapture, attribution: Attribution) -> OwnerSearch:
    """Returns the search in this capture. The attribution keeps it, because it reads tables as long as the capture."""
    return OwnerSearch(capture, attribution)


class _Waiters:
    """The number of threads that wait for a lock over time, while waiting counts."""

    def __init__(self, count: Steps, counts: Steps) -> None:
        """Takes `counts`, which is 1 while waiting counts, otherwise 0."""
        self._count, self._counts = count, counts
        self._area = np.append(0.0, np.cumsum(count.value[:-1] * counts.integral(count.time[:-1], count.time[1:])))

    @property
    def stretches(self) -> tuple[IntArray, IntArray]:
        """Returns the start and end of each period in which at least one thread waits."""
        waits = np.pad(self._count.value > 0, 1)
        time = self._count.time.astype(np.int64)
        return time[np.flatnonzero(waits[1:] & ~waits[:-1])], time[np.flatnonzero(waits[:-1] & ~waits[1:])]

    def at(self, time: IntArray) -> FloatArray:
        return self._count.at(time) * self._counts.at(time)

    def each(self, begin: IntArray, stop: IntArray) -> FloatArray:
        """Returns the thread-nanoseconds within each interval."""
        return np.asarray(self._until(stop) - self._until(begin))

    def _until(self, time: IntArray) -> FloatArray:
        steps = self._count
        at = np.clip(rows_before(steps.time, time, side="right") - 1, 0, len(steps.time) - 1)
        return np.asarray(self._area[at] + steps.value[at] * self._counts.integral(steps.time[at], time))


def _sums(owner: IntArray, key: IntArray, weight: FloatArray, owners: int) -> list[Sums]:
    """Returns the sums of the weights by key, for each owner; only sums above zero."""
    keys, which = np.unique(key, return_inverse=True)
    pairs, where = np.unique(owner * max(len(keys), 1) + which, return_inverse=True)
    total = np.bincount(where, weight, len(pairs))
    found: list[Sums] = [{} for _ in range(owners)]
    for pair, summed in zip(pairs.tolist(), total.tolist(), strict=True):
        if summed > 0:
            found[pair // len(keys)][int(keys[pair % len(keys)])] = summed
    return found
