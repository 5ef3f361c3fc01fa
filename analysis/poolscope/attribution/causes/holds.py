"""Who held which lock from when to when, so that a replay can let items queue for it anew.

The runtime tells of a lock only where a thread had to wait for it. A hold after a wait begins with the wait's end; a hold
without one shows by the waiter that its end wakes. Where neither end nor beginning has an event, the lock's other holds
tell how long it is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.wakers import Wakers, running_item
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.lookup import latest
from poolscope.capture import Capture
from poolscope.capture.schema import enum
from poolscope.executions.segments import BLOCKED, Executions, Segments

CONTENTION = enum("waits", "kind", "contention")
COVERED = 0.5
"""A wait event tells of a blocked stretch when it covers at least this share of it (as in blame/evidence.py)."""
LEAST_LOCK_NS = 1_000_000
"""A lock that cost all items together less than this is not replayed: what was waited for it stays own demand."""

REPEATED_NS = 200_000
"""A second wake-up by the same execution so soon after the first one, with no wait for the lock between, tells of no second
hold: the first waiter lost the lock to another thread, or went to sleep on the runtime's own way to it."""

LONGEST_REST = 4.0
"""Of the lock's median time from the moment at which its next owner began to wait to the end of the hold, at most so many are
one hold: of waiters that come at any moment the median is half a hold. What seems longer are two holds, the first of which
let nobody wait (SemaphoreSlim takes its own monitor for an instant at each end of what it guards)."""

EVENT, ESTIMATE = 0, 1


@dataclass(frozen=True)
class Holds:
    """Locks held by executions, shape (holds,). Times are ns from the start of the window."""

    lock: IntArray
    """0 ... locks - 1."""
    execution: IntArray
    asked: IntArray
    """When the execution asked for it: where a replay lets it queue."""
    released: IntArray
    """After `asked`."""
    known: IntArray
    """EVENT: both ends by events; ESTIMATE: one of them from the lock's other holds."""
    locks: int
    replaced: BoolArray
    """Shape (segments,): blocked stretches that a replay of the lock brings about itself."""
    handed: IntArray
    """Shape (segments,): of these the lock; else -1."""


def no_holds(segments: Segments) -> Holds:
    nothing = np.zeros(0, dtype=np.int64)
    count = len(segments.item)
    return Holds(
        nothing, nothing, nothing, nothing, nothing, 0, np.zeros(count, bool), np.full(count, -1, dtype=np.int64)
    )


def find_holds(
    capture: Capture, executions: Executions, segments: Segments, wakers: Wakers, usable: BoolArray
) -> Holds:
    """`usable`: segments that no suspension caused."""
    if not capture.has("waits") or executions.count == 0:
        return no_holds(segments)
    start, stop = capture.window
    table = capture.table("waits")
    table = table[table["kind"].to_numpy() == CONTENTION]
    tid = table["tid"].to_numpy().astype(np.int64)
    begin = np.clip(table["start"].to_numpy(), start, stop) - start
    item = running_item(executions, tid, begin)
    own = item >= 0
    if not own.any():
        return no_holds(segments)
    tid, begin, item = tid[own], begin[own], item[own]
    ended = table["end"].to_numpy()[own]
    end = np.minimum(np.where(ended < 0, stop, np.minimum(ended, stop)) - start, executions.end[item])
    end = np.maximum(end, begin)
    owner = running_item(executions, table["owner_tid"].to_numpy().astype(np.int64)[own], begin)
    owner[owner == item] = -1  # who begins to wait does not hold it
    objects, lock = np.unique(table["object"].to_numpy()[own], return_inverse=True)
    worth = np.bincount(lock, end - begin, len(objects)) >= LEAST_LOCK_NS

    # Which blocked stretches lie in which contention, and who ended them.
    blocked = np.flatnonzero((segments.state == BLOCKED) & usable)
    middle = (segments.start[blocked] + segments.end[blocked]) // 2
    at, same = latest(tid, begin, executions.worker[segments.item[blocked]], middle)
    inside = np.minimum(end[at], segments.end[blocked]) - np.maximum(begin[at], segments.start[blocked])
    covered = same & (inside >= COVERED * segments.duration[blocked]) & (item[at] == segments.item[blocked])
    covered &= worth[lock[at]]
    stretch, row = blocked[covered], at[covered]
    by_item = wakers.inside[stretch]
    # A lock that somebody outside the pool held keeps its wait in every world.
    from_item = owner >= 0
    from_item[row[by_item]] = True
    replaced = np.zeros(len(segments.item), dtype=bool)
    replaced[stretch] = from_item[row]
    handed = np.full(len(segments.item), -1, dtype=np.int64)
    handed[stretch] = np.where(from_item[row], lock[row], -1)

    told = by_item
    releases = _Releases(lock[row[told]], wakers.execution[stretch[told]], wakers.time[stretch[told]], begin[row[told]])
    rows = np.flatnonzero(worth[lock])
    if not wakers.inside.any():
        releases = _by_owners(executions, lock[rows], owner[rows], begin[rows], end[rows])
    asked = np.where(from_item, begin, end)
    return _pair(executions, lock[rows], item[rows], asked[rows], end[rows], releases, len(objects), replaced, handed)


@dataclass(frozen=True)
class _Releases:
    """Moments at which an execution gave a lock to a waiter."""

    lock: IntArray
    execution: IntArray
    time: IntArray
    asked: IntArray
    """When the waiter had asked for it."""


def _by_owners(executions: Executions, lock: IntArray, owner: IntArray, begin: IntArray, end: IntArray) -> _Releases:
    """Without wake-ups: the owner that a wait's begin names held the lock until the next wait for it ended. Of several
    waiters that name one hold the first to ask comes first."""
    order = np.lexsort((end, lock))
    after, same = next_of(lock[order], end[order], lock, begin)
    until = np.where(same, end[order][after], begin)
    known = (owner >= 0) & same
    held = np.minimum(until[known], executions.end[owner[known]])
    order = np.argsort(begin[known], kind="stable")
    return _Releases(lock[known][order], owner[known][order], held[order], begin[known][order])


def next_of(group: IntArray, time: IntArray, of: IntArray, after: IntArray) -> tuple[IntArray, BoolArray]:
    """Of rows in order of group and time the first one of the group `of` that is later than `after`."""
    if len(group) == 0:
        return np.zeros(len(of), dtype=np.int64), np.zeros(len(of), dtype=bool)
    span = int(max(time.max(), after.max(initial=0))) + 2
    at = np.searchsorted(group * span + time, of * span + after, side="right")
    row = np.minimum(at, len(group) - 1)
    return row, (at < len(group)) & (group[row] == of)


def _pair(
    executions: Executions,
    lock: IntArray,
    item: IntArray,
    asked: IntArray,
    got: IntArray,
    releases: _Releases,
    locks: int,
    replaced: BoolArray,
    handed: IntArray,
) -> Holds:
    """Ties each release to the wait before it in the same execution; releases without one tell of a hold without a wait."""
    releases = _first_of_each_hold(executions.count, lock, item, asked, got, releases)
    waits, given = len(lock), len(releases.lock)
    every_lock = np.concatenate((lock, releases.lock))
    every_item = np.concatenate((item, releases.execution))
    time = np.concatenate((got, releases.time))
    is_release = np.concatenate((np.zeros(waits, bool), np.ones(given, bool)))
    order = np.lexsort((is_release, time, every_item, every_lock))
    every_lock, every_item, time, is_release = every_lock[order], every_item[order], time[order], is_release[order]
    source = np.where(is_release, order - waits, order)
    same = np.zeros(len(order), dtype=bool)  # as the row before: lock and execution
    same[1:] = (every_lock[1:] == every_lock[:-1]) & (every_item[1:] == every_item[:-1])
    follows_wait = same & np.append(False, ~is_release[:-1])
    # What each release's waiter saw of the hold at most: since it asked, and since the lock was last free.
    free_at = np.lexsort((releases.time, releases.lock))
    at, before = latest(releases.lock[free_at], releases.time[free_at], releases.lock, releases.time - 1)
    last_free = np.where(before, releases.time[free_at][at] if given else 0, 0)
    rest = releases.time - np.maximum(releases.asked, last_free)
    limit = LONGEST_REST * _medians(releases.lock, rest, locks)
    too_long = np.zeros(len(order), dtype=bool)
    too_long[1:] = time[1:] - time[:-1] > limit[every_lock[1:]]
    follows_wait &= ~too_long
    followed = np.append(follows_wait[1:] & is_release[1:], False) & ~is_release

    released = np.full(waits, -1, dtype=np.int64)
    rows = np.flatnonzero(followed)
    released[source[rows]] = time[rows + 1]
    known = released >= 0
    alone = np.flatnonzero(is_release & ~follows_wait)

    # Holds without a wait: not before the lock's last release, nor before the execution itself.
    earliest = np.maximum(executions.start[every_item[alone]], last_free[source[alone]])
    earliest = np.where(same[alone], np.maximum(earliest, time[np.maximum(alone - 1, 0)]), earliest)
    earliest = np.minimum(earliest, time[alone])
    length = _medians(lock[known], (released - got)[known], locks)
    # A waiter comes somewhere in the middle of a hold: what it still saw of it is half of it on average.
    alone_lock = every_lock[alone]
    guess = np.where(np.isnan(length[alone_lock]), 2.0 * rest[source[alone]], length[alone_lock])
    taken = np.maximum(earliest, time[alone] - np.rint(guess).astype(np.int64))
    length = np.where(np.isnan(length), _medians(alone_lock, time[alone] - taken, locks), length)

    # Waits after which nobody was woken: up to the lock's typical hold, the next wait's end, and the execution's.
    open_ended = np.flatnonzero(~known)
    by_end = np.lexsort((got, lock))
    after, some = next_of(lock[by_end], got[by_end], lock[open_ended], got[open_ended])
    typical = got[open_ended] + np.nan_to_num(np.rint(length[lock[open_ended]]), nan=1.0).astype(np.int64)
    waiting = some & (asked[by_end][after] <= got[open_ended])
    until = np.where(waiting & (given == 0), got[by_end][after], typical)
    until = np.where(some, np.minimum(until, got[by_end][after]), until)
    released[open_ended] = np.minimum(until, executions.end[item[open_ended]])
    next_asked = _asked_next(lock, item, asked, got)
    released = np.where(known, released, np.minimum(released, next_asked))

    estimate = np.where(known, EVENT, ESTIMATE)
    all_lock = np.concatenate((lock, alone_lock))
    all_items = np.concatenate((item, every_item[alone]))
    all_released = np.maximum(np.concatenate((released, time[alone])), np.concatenate((got, taken)) + 1)
    all_asked, all_released, keep = _apart(all_lock, all_items, np.concatenate((asked, taken)), all_released)
    return Holds(
        lock=all_lock[keep],
        execution=all_items[keep],
        asked=all_asked[keep],
        released=all_released[keep],
        known=np.concatenate((estimate, np.full(len(alone), ESTIMATE))).astype(np.int64)[keep],
        locks=locks,
        replaced=replaced,
        handed=handed,
    )


def _apart(lock: IntArray, item: IntArray, asked: IntArray, released: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Holds of one lock by one execution follow each other; which of them to keep: one that lies within another is none."""
    order = np.lexsort((released, asked, item, lock))
    begin, end = asked[order].copy(), released[order].copy()
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (lock[order][1:] == lock[order][:-1]) & (item[order][1:] == item[order][:-1])
    group = np.cumsum(~same)
    span = int(max(end.max(initial=0), 0)) + 2
    # The latest end of those before, within the group.
    until = np.zeros(len(order), dtype=np.int64)
    until[1:] = np.where(same[1:], np.maximum.accumulate(group * span + end)[:-1] - group[1:] * span, 0)
    begin = np.where(same, np.maximum(begin, until), begin)
    keep = np.ones(len(order), dtype=bool)
    keep[order] = ~same | (end > begin)
    result = asked.copy()
    result[order] = begin
    return result, released, keep


def _first_of_each_hold(
    executions: int, lock: IntArray, item: IntArray, asked: IntArray, got: IntArray, releases: _Releases
) -> _Releases:
    """Without wake-ups by an execution that waits for the lock itself, and without repeated ones."""
    who = releases.lock * executions + releases.execution
    waiter = lock * executions + item
    at, same = latest(waiter, asked, who, releases.time)
    waits = same & (releases.time < got[at]) if len(lock) else same
    order = np.lexsort((releases.time, who))
    soon = np.zeros(len(who), dtype=bool)
    by_who, time = who[order], releases.time[order]
    soon[order[1:]] = (by_who[1:] == by_who[:-1]) & (time[1:] - time[:-1] <= REPEATED_NS)
    keep = ~(waits | soon)
    return _Releases(releases.lock[keep], releases.execution[keep], releases.time[keep], releases.asked[keep])


def _asked_next(lock: IntArray, item: IntArray, asked: IntArray, got: IntArray) -> IntArray:
    """When the same execution asked for the same lock again."""
    order = np.lexsort((got, item, lock))
    again = np.full(len(lock), np.iinfo(np.int64).max, dtype=np.int64)
    follows = (lock[order][1:] == lock[order][:-1]) & (item[order][1:] == item[order][:-1])
    again[order[:-1][follows]] = asked[order[1:][follows]]
    return again


def _medians(group: IntArray, value: IntArray, groups: int) -> FloatArray:
    """The lower median of each group; NaN where it has none."""
    order = np.lexsort((value, group))
    count = np.bincount(group, minlength=groups)
    first = np.cumsum(count) - count
    middle = first + np.maximum(count - 1, 0) // 2
    result = np.full(groups, np.nan)
    some = count > 0
    result[some] = value[order][middle[some]]
    return result
