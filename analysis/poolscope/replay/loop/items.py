"""What an item does next, and what that does to others: waits, marks, locks, items that it queues."""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.loop.answers import answered, comes_at, fire_at, handed_on_later, mark_answered, mark_fires_at
from poolscope.replay.loop.gathered import carries, taken_along
from poolscope.replay.loop.heaps import push
from poolscope.replay.loop.state import (
    BLOCKED,
    BLOCKED_ITEMS,
    BLOCKED_KEYS,
    ENGINE,
    FIRST_COME,
    FREE,
    GOAL,
    HOLDING,
    IMMEDIATELY,
    ITEM_ARRIVED,
    ITEM_END,
    ITEM_FIRST,
    ITEM_IN_TASK_WAIT,
    ITEM_NEXT,
    ITEM_OBJECT,
    ITEM_POSITION,
    ITEM_RANK,
    ITEM_STAND_IN,
    ITEM_START,
    ITEMS,
    KIND,
    KIND_BITS,
    KIND_MASK,
    LIMIT_MAX,
    LIMIT_MIN,
    LOCK_HEAD,
    LOCK_HELD,
    LOCK_TAIL,
    MARK_FIRED,
    MARK_LINE,
    NONE,
    NOT,
    NOW,
    NUM_ADDED,
    NUM_BLOCKED,
    OP_VALUE,
    OPERATION,
    PARAMETERS,
    PENDING,
    PROC,
    QUEUED,
    QUEUED_FIRST,
    QUEUED_ITEMS,
    QUEUED_KEYS,
    READY,
    RESUMED,
    RESUMED_FIRST,
    RESUMED_RING,
    RESUMED_ROOM,
    RUNNING,
    RUNNING_ITEMS,
    RUNNING_KEYS,
    SIGNAL_AT,
    STAND_INS,
    SWITCHES,
    UNFINISHED,
    VIRTUAL,
    WITH_DELAY,
)
from poolscope.replay.loop.threads import WAKE_NS, ensure_gate, ensure_requested, signal_one, start_thread
from poolscope.replay.policies import net
from poolscope.replay.policies.policy import ALLOWED, DEDICATED, NET
from poolscope.replay.workload import Op

CPU = Op.CPU
SLEEP = Op.BLOCKED
TASK_SLEEP = Op.TASK_BLOCKED
TASK_WAIT = Op.TASK_WAIT
WAIT = Op.WAIT
ACQUIRE = Op.ACQUIRE
RELEASE = Op.RELEASE
ENQUEUE = Op.ENQUEUE
ANSWER = Op.ANSWER
ANSWER_MARK = Op.ANSWER_MARK


def queue_item(f: FloatArray, i: IntArray, item: int) -> None:
    """Queues the item, or a mark's stand-in: it waits for a thread from now on."""
    key = f[i[ITEM_RANK] + item]
    if i[FIRST_COME] != 0:
        key += f[NOW]
    push(f, i, i[QUEUED_KEYS], i[QUEUED_ITEMS], i[QUEUED], key, item)
    i[QUEUED] += 1
    kind = i[KIND]
    if kind == NET:
        ensure_requested(f, i)
    elif kind == DEDICATED:
        start_thread(f, i)
    elif kind != ALLOWED:
        signal_one(f, i)


def arrive(f: FloatArray, i: IntArray, item: int) -> None:
    """Enqueues the item, once."""
    if f[i[ITEM_ARRIVED] + item] == math.inf:
        f[i[ITEM_ARRIVED] + item] = f[NOW]
        what = i[i[ITEM_OBJECT] + item]
        if what < 0 or carries(i, what, item):
            queue_item(f, i, item)


def work_off(f: FloatArray, i: IntArray, what: int) -> None:
    """Begins an item that works off a queue: items that came since it was queued have nothing left to do."""
    item = taken_along(i, what)
    while item >= 0:
        f[i[ITEM_START] + item] = f[NOW]
        finish(f, i, item)
        item = i[i[ITEM_NEXT] + item]


def come(f: FloatArray, i: IntArray, item: int) -> None:
    """Lets the item arrive, or its stand-in."""
    if i[i[ITEM_STAND_IN] + item] == READY and f[i[ITEM_ARRIVED] + item] == math.inf:
        i[i[ITEM_STAND_IN] + item] = NOT
        if carries(i, ENGINE, item):
            i[i[ITEM_STAND_IN] + item] = QUEUED_FIRST
            queue_item(f, i, item)
    else:
        arrive(f, i, item)  # unless it is there already


def mark_comes(f: FloatArray, i: IntArray, number: int) -> None:
    """Lets a mark's answer come after the item that fires the mark has run. With stand-ins the engine is queued once
    more for it. `number` is the mark's among items and marks."""
    if i[STAND_INS] == 0:
        fire_mark(f, i, number - i[ITEMS])
    elif carries(i, ENGINE, number):
        queue_item(f, i, number)


def stand_in(f: FloatArray, i: IntArray, first: int) -> None:
    """Runs a stand-in, which hands its item on or fires its mark, and those that have come since."""
    following = taken_along(i, ENGINE)
    number = first
    while number >= 0:
        if number >= i[ITEMS]:
            fire_mark(f, i, number - i[ITEMS])
        else:
            i[i[ITEM_STAND_IN] + number] = NOT
            arrive(f, i, number)
        number = following
        if number >= 0:
            following = i[i[ITEM_NEXT] + number]
    release_thread(f, i)


def release_thread(f: FloatArray, i: IntArray) -> None:
    """Frees the item's thread: the pool decides what it does next."""
    if i[KIND] == ALLOWED:
        i[PROC] -= 1
    else:
        i[FREE] += 1


def block(f: FloatArray, i: IntArray) -> None:
    """Blocks the item: its thread leaves the core, and the item unless it holds it."""
    f[SWITCHES] += 1.0
    if i[HOLDING] == 0:
        release_thread(f, i)


def finish(f: FloatArray, i: IntArray, item: int) -> None:
    """Ends the item."""
    f[i[ITEM_END] + item] = f[NOW]
    i[UNFINISHED] -= 1


def let_go_on(f: FloatArray, i: IntArray, item: int) -> None:
    """Ends the item's wait; it goes on when the present one has come to its next stop."""
    at = (i[RESUMED_FIRST] + i[RESUMED]) % i[RESUMED_ROOM]
    i[i[RESUMED_RING] + at] = item
    i[RESUMED] += 1
    task_wait_over(f, i, item)


def task_wait_over(f: FloatArray, i: IntArray, item: int) -> None:
    """Does NotifyThreadUnblocked, if the item's thread had said that it waits for a task."""
    if i[i[ITEM_IN_TASK_WAIT] + item]:
        i[i[ITEM_IN_TASK_WAIT] + item] = 0
        i[NUM_BLOCKED] -= 1
        if i[PENDING] != IMMEDIATELY and i[NUM_ADDED] > 0 and i[GOAL] > blocking_goal(f, i):
            i[PENDING] = IMMEDIATELY
            signal_gate(f, i)


def blocking_goal(f: FloatArray, i: IntArray) -> int:
    """Returns the goal that gives every worker that waits for a task another one in its place."""
    return int(min(f[LIMIT_MIN] + i[NUM_BLOCKED], f[LIMIT_MAX]))


def signal_gate(f: FloatArray, i: IntArray) -> None:
    """Wakes the gate thread between its looks."""
    ensure_gate(f, i)
    f[SIGNAL_AT] = min(f[SIGNAL_AT], f[NOW] + WAKE_NS)


def note_task_wait(f: FloatArray, i: IntArray, item: int) -> None:
    """Does NotifyThreadBlocked of dotnet/runtime's PortableThreadPool: a worker waits for a task."""
    if i[KIND] != NET or i[HOLDING] == 0 or f[PARAMETERS + net.COOPERATIVE] == 0.0:
        return
    i[i[ITEM_IN_TASK_WAIT] + item] = 1
    i[NUM_BLOCKED] += 1
    if i[PENDING] != WITH_DELAY and i[GOAL] < blocking_goal(f, i):
        if i[PENDING] == NONE:
            signal_gate(f, i)
        i[PENDING] = WITH_DELAY


def release_lock(f: FloatArray, i: IntArray, lock: int) -> None:
    """Passes the lock to the item that has waited longest, if any."""
    item = i[i[LOCK_HEAD] + lock]
    if item < 0:
        i[i[LOCK_HELD] + lock] = 0
        return
    i[i[LOCK_HEAD] + lock] = i[i[ITEM_NEXT] + item]
    let_go_on(f, i, item)


def fire_mark(f: FloatArray, i: IntArray, mark: int) -> None:
    """Lets every waiter of the mark go on, in the order in which they came."""
    i[i[MARK_FIRED] + mark] = 1
    item = i[i[MARK_LINE] + mark]
    before = -1  # the line is kept newest first: turned round here
    while item >= 0:
        following = i[i[ITEM_NEXT] + item]
        i[i[ITEM_NEXT] + item] = before
        before = item
        item = following
    while before >= 0:
        following = i[i[ITEM_NEXT] + before]
        let_go_on(f, i, before)
        before = following


def advance(f: FloatArray, i: IntArray, item: int) -> None:
    """Runs the item on its thread up to where it computes, blocks or ends."""
    while True:
        at = i[i[ITEM_POSITION] + item]
        if at == i[i[ITEM_FIRST] + item + 1]:
            finish(f, i, item)
            release_thread(f, i)
            return
        op = i[i[OPERATION] + at] & KIND_MASK
        if op == CPU:
            push(f, i, i[RUNNING_KEYS], i[RUNNING_ITEMS], i[RUNNING], f[VIRTUAL] + f[i[OP_VALUE] + at], item)
            i[RUNNING] += 1
            return
        i[i[ITEM_POSITION] + item] = at + 1
        target = i[i[OPERATION] + at] >> KIND_BITS
        if op == SLEEP or op == TASK_SLEEP:
            push(f, i, i[BLOCKED_KEYS], i[BLOCKED_ITEMS], i[BLOCKED], f[NOW] + f[i[OP_VALUE] + at], item)
            i[BLOCKED] += 1
            if op == TASK_SLEEP:
                note_task_wait(f, i, item)
            block(f, i)
            return
        if op == WAIT or op == TASK_WAIT:
            if i[i[MARK_FIRED] + target] == 0:
                i[i[ITEM_NEXT] + item] = i[i[MARK_LINE] + target]
                i[i[MARK_LINE] + target] = item
                if op == TASK_WAIT:
                    note_task_wait(f, i, item)
                block(f, i)
                return
        elif op == ACQUIRE:
            if i[i[LOCK_HELD] + target] != 0:
                i[i[ITEM_NEXT] + item] = -1
                if i[i[LOCK_HEAD] + target] < 0:
                    i[i[LOCK_HEAD] + target] = item
                else:
                    i[i[ITEM_NEXT] + i[i[LOCK_TAIL] + target]] = item
                i[i[LOCK_TAIL] + target] = item
                block(f, i)
                return
            i[i[LOCK_HELD] + target] = 1
        elif op == RELEASE:
            release_lock(f, i, target)
        elif op == ENQUEUE:
            time = comes_at(f, i, target, f[i[OP_VALUE] + at])
            if time <= f[NOW]:
                arrive(f, i, target)
            elif time < math.inf:
                handed_on_later(f, i, target, time)
        elif op == ANSWER:
            answered(f, i, target, f[NOW] + f[i[OP_VALUE] + at])
        elif op == ANSWER_MARK:
            mark_answered(f, i, target, f[NOW] + f[i[OP_VALUE] + at])
        else:
            time = mark_fires_at(f, i, target)
            if time <= f[NOW]:
                fire_mark(f, i, target)
            elif time < math.inf:
                fire_at(f, i, target, time)


def go_on(f: FloatArray, i: IntArray, item: int) -> None:
    """Lets a blocked item go on: on the thread that it holds, or as soon as it gets one."""
    if i[HOLDING] != 0:
        task_wait_over(f, i, item)
        advance(f, i, item)
        return
    at = i[i[ITEM_POSITION] + item]
    if at == i[i[ITEM_FIRST] + item + 1]:
        finish(f, i, item)
        return
    op = i[i[OPERATION] + at] & KIND_MASK
    if op == SLEEP or op == TASK_SLEEP:  # no thread is needed to go on sleeping
        i[i[ITEM_POSITION] + item] = at + 1
        push(f, i, i[BLOCKED_KEYS], i[BLOCKED_ITEMS], i[BLOCKED], f[NOW] + f[i[OP_VALUE] + at], item)
        i[BLOCKED] += 1
    else:
        queue_item(f, i, item)
