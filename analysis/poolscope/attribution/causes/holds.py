"""Finds which execution held which lock from when to when, so that a replay can let items queue for it again.

The runtime reports a lock only if a thread had to wait for it (lock_events.py). Each release belongs to the wait that
came before it in the same execution. A hold after a wait begins with the end of the wait. A hold without a wait shows
in the waiter that its end wakes. If neither end of a hold has an event, the lock's other holds give its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.lock_events import (
    Asks,
    Contentions,
    Releases,
    Stretches,
    blocked_stretches,
    find_contentions,
    first_of_each_hold,
    releases_by_owners,
    releases_by_wakeups,
)
from poolscope.attribution.causes.origins import Wakers
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.lookup import first_after, latest, lower_medians, ordered, same_as_before
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import Executions, Segments

LONGEST_REST = 4.0
"""A hold covers at most this many times the lock's median rest: the time from the moment its next owner began to wait
to the end of the hold. For waiters that come at any moment the median is half a hold. A longer hold is really two, and
no thread waited for the first (SemaphoreSlim takes its own monitor for an instant at each end of the section it
guards)."""

EVENT, ESTIMATE = 0, 1


@dataclass(frozen=True)
class Pairs:
    """Holds, shape (holds,). Times are ns from the start of the window."""

    lock: IntArray
    execution: IntArray
    asked: IntArray
    released: IntArray
    known: IntArray
    """EVENT or ESTIMATE."""

    def where(self, keep: BoolArray) -> Pairs:
        columns = (self.lock, self.execution, self.asked, self.released, self.known)
        return Pairs(*(column[keep] for column in columns))


@dataclass(frozen=True)
class _Line:
    """Ends of waits and releases together, ordered by lock, execution and time; the end of a wait comes first at equal
    times."""

    lock: IntArray
    execution: IntArray
    time: IntArray
    is_release: BoolArray
    source: IntArray
    """The row of Asks or of Releases."""
    same: BoolArray
    """Whether the row before has the same lock and execution."""

    @staticmethod
    def of(asks: Asks, releases: Releases) -> _Line:
        waits, given = len(asks.lock), len(releases.lock)
        lock = np.concatenate((asks.lock, releases.lock))
        execution = np.concatenate((asks.execution, releases.execution))
        time = np.concatenate((asks.got, releases.time))
        is_release = np.concatenate((np.zeros(waits, bool), np.ones(given, bool)))
        order = ordered(lock, execution, time, is_release)
        lock, execution, is_release = lock[order], execution[order], is_release[order]
        source = np.where(is_release, order - waits, order)
        return _Line(lock, execution, time[order], is_release, source, same_as_before(lock, execution))


@dataclass(frozen=True)
class _Seen:
    """The part of each hold that its next owner saw, shape (releases,), ns."""

    last_free: IntArray
    """When the lock was last released before; 0: never."""
    rest: IntArray
    """The time to the release from `last_free` or from when the next owner asked, whichever is later."""


def pair(executions: Executions, asks: Asks, releases: Releases, locks: int) -> Pairs:
    """Returns the holds that waits and releases show, in no order."""
    releases = first_of_each_hold(releases, asks, executions.count)
    line, seen = _Line.of(asks, releases), _seen_by_next_owner(releases)
    after_wait = _after_a_wait(line, releases, seen, locks)

    released = _released_by_event(asks, line, after_wait)
    known = released >= 0
    length = lower_medians(asks.lock[known], (released - asks.got)[known], locks)
    alone = _without_wait(executions, line, seen, np.flatnonzero(line.is_release & ~after_wait), length)
    length = np.where(np.isnan(length), lower_medians(alone.lock, alone.released - alone.asked, locks), length)
    unknown = np.flatnonzero(~known)
    released[unknown] = _estimated_end(executions, asks, unknown, length, any_release=len(releases.lock) > 0)

    taken = np.concatenate((asks.got, alone.asked))
    holds = Pairs(
        lock=np.concatenate((asks.lock, alone.lock)),
        execution=np.concatenate((asks.execution, alone.execution)),
        asked=np.concatenate((asks.asked, alone.asked)),
        released=np.maximum(np.concatenate((released, alone.released)), taken + 1),
        known=np.concatenate((np.where(known, EVENT, ESTIMATE), alone.known)).astype(np.int64),
    )
    return _one_after_the_other(holds)


def _seen_by_next_owner(releases: Releases) -> _Seen:
    order = ordered(releases.lock, releases.time)
    lock, time = releases.lock[order], releases.time[order]
    at, before = latest(lock, time, releases.lock, releases.time - 1)
    last_free = np.where(before, time[at], 0)
    return _Seen(last_free, releases.time - np.maximum(releases.asked, last_free))


def _after_a_wait(line: _Line, releases: Releases, seen: _Seen, locks: int) -> BoolArray:
    """Returns the rows of the line that come right after the wait that began their hold."""
    limit = LONGEST_REST * lower_medians(releases.lock, seen.rest, locks)
    too_long = np.zeros(len(line.lock), dtype=bool)
    too_long[1:] = line.time[1:] - line.time[:-1] > limit[line.lock[1:]]
    after_got = np.append(False, ~line.is_release[:-1])
    return np.asarray(line.same & after_got & ~too_long)


def _released_by_event(asks: Asks, line: _Line, after_wait: BoolArray) -> IntArray:
    """Returns when each wait's hold ended, shape (asks,); -1: no event shows it."""
    released = np.full(len(asks.lock), -1, dtype=np.int64)
    rows = np.flatnonzero(np.append(after_wait[1:] & line.is_release[1:], False) & ~line.is_release)
    released[line.source[rows]] = line.time[rows + 1]
    return released


def _without_wait(executions: Executions, line: _Line, seen: _Seen, rows: IntArray, length: FloatArray) -> Pairs:
    """Returns the holds that only their release shows, for `rows` of the line.

    Such a hold began neither before the lock's last release nor before its execution. A waiter comes somewhere in the
    middle of a hold. If the `length` of the lock's holds is unknown, the part that the waiter saw counts as half a
    hold.
    """
    lock, source, end = line.lock[rows], line.source[rows], line.time[rows]
    earliest = np.maximum(executions.start[line.execution[rows]], seen.last_free[source])
    earliest = np.where(line.same[rows], np.maximum(earliest, line.time[np.maximum(rows - 1, 0)]), earliest)
    earliest = np.minimum(earliest, end)
    guess = np.where(np.isnan(length[lock]), 2.0 * seen.rest[source], length[lock])
    taken = np.maximum(earliest, end - np.rint(guess).astype(np.int64))
    return Pairs(lock, line.execution[rows], taken, end, np.full(len(rows), ESTIMATE))


def _estimated_end(
    executions: Executions, asks: Asks, rows: IntArray, length: FloatArray, any_release: bool
) -> IntArray:
    """Returns the ends of holds that woke no thread, for `rows` of asks.

    A hold ends at the earliest of four moments: after the lock's typical hold, when the next wait for the lock ended,
    when the same execution asked for it again, and at the end of the execution.
    """
    order = ordered(asks.lock, asks.got)
    lock, got = asks.lock[rows], asks.got[rows]
    next_got, next_asked = asks.got[order], asks.asked[order]
    after, some = first_after(asks.lock[order], next_got, lock, got)
    typical = got + np.nan_to_num(np.rint(length[lock]), nan=1.0).astype(np.int64)
    waiting = some & (next_asked[after] <= got)
    until = typical if any_release else np.where(waiting, next_got[after], typical)
    until = np.where(some, np.minimum(until, next_got[after]), until)
    until = np.minimum(until, executions.end[asks.execution[rows]])
    return np.minimum(until, _asked_again(asks)[rows])


def _asked_again(asks: Asks) -> IntArray:
    """Returns when the same execution asked for the same lock again, shape (asks,)."""
    order = ordered(asks.lock, asks.execution, asks.got)
    again = np.full(len(order), np.iinfo(np.int64).max, dtype=np.int64)
    follows = same_as_before(asks.lock[order], asks.execution[order])[1:]
    again[order[:-1][follows]] = asks.asked[order[1:][follows]]
    return again


def _one_after_the_other(holds: Pairs) -> Pairs:
    """Makes the holds of one lock by one execution follow each other, and drops those that lie within another."""
    order = ordered(holds.lock, holds.execution, holds.asked, holds.released)
    begin, end = holds.asked[order], holds.released[order]
    same = same_as_before(holds.lock[order], holds.execution[order])
    group = np.cumsum(~same)
    span = int(end.max(initial=0)) + 2
    # The latest end of the rows before, within the group.
    until = np.zeros(len(order), dtype=np.int64)
    until[1:] = np.where(same[1:], np.maximum.accumulate(group * span + end)[:-1] - group[1:] * span, 0)
    begin = np.where(same, np.maximum(begin, until), begin)
    keep = np.ones(len(order), dtype=bool)
    keep[order] = ~same | (end > begin)
    asked = holds.asked.copy()
    asked[order] = begin
    return Pairs(holds.lock, holds.execution, asked, holds.released, holds.known).where(keep)


@dataclass(frozen=True)
class Holds:
    """Locks held by executions, shape (holds,). Times are ns from the start of the window."""

    lock: IntArray
    """0 ... locks - 1."""
    execution: IntArray
    asked: IntArray
    """When the execution asked for the lock: the moment from which it queues in a replay."""
    released: IntArray
    """After `asked`."""
    known: IntArray
    """EVENT: events show both ends; ESTIMATE: one end comes from the lock's other holds."""
    locks: int
    replaced: BoolArray
    """Shape (segments,): blocked stretches that a replay of the lock produces itself."""


def no_holds(segments: Segments) -> Holds:
    """Returns holds for a capture in which no item waited for a lock."""
    nothing = np.zeros(0, dtype=np.int64)
    return Holds(nothing, nothing, nothing, nothing, nothing, 0, np.zeros(len(segments.item), dtype=bool))


def find_holds(
    capture: DecodedCapture, executions: Executions, segments: Segments, wakers: Wakers, usable: BoolArray
) -> Holds:
    """Returns every hold of a lock that items waited for. `usable`: segments that no suspension caused."""
    found = find_contentions(capture, executions)
    if found is None:
        return no_holds(segments)
    stretches = blocked_stretches(found, executions, segments, usable)
    by_item = _held_by_an_item(found, stretches, wakers)
    if wakers.inside.any():
        releases = releases_by_wakeups(found, stretches, wakers)
    else:
        releases = releases_by_owners(found, executions)
    holds = pair(executions, _asks(found, by_item), releases, found.locks)
    replaced = np.zeros(len(segments.item), dtype=bool)
    replaced[stretches.segment] = by_item[stretches.event]
    return Holds(holds.lock, holds.execution, holds.asked, holds.released, holds.known, found.locks, replaced)


def _held_by_an_item(found: Contentions, stretches: Stretches, wakers: Wakers) -> BoolArray:
    """Returns the contention events that waited for a lock held by an item. A wait for a lock that a thread outside the
    pool held keeps its duration in every world."""
    by_item = found.owner >= 0
    by_item[stretches.event[wakers.inside[stretches.segment]]] = True
    return by_item


def _asks(found: Contentions, by_item: BoolArray) -> Asks:
    rows = np.flatnonzero(found.replayed[found.lock])
    asked = np.where(by_item, found.begin, found.end)
    return Asks(found.lock[rows], found.execution[rows], asked[rows], found.end[rows])
