"""The next step of an item and its effect on others: waits, marks, locks, items that it queues."""

from __future__ import annotations

from heapq import heappush
from math import inf

from poolscope.replay.loop.gathered import carries, taken_along
from poolscope.replay.loop.state import (
    ENGINE,
    HANDED_ON,
    IMMEDIATELY,
    NONE,
    NOT,
    QUEUED_FIRST,
    READY,
    WITH_DELAY,
    State,
)
from poolscope.replay.loop.threads import WAKE_NS, ensure_gate, ensure_requested, signal_one, start_thread
from poolscope.replay.policies.policy import ALLOWED, DEDICATED, NET
from poolscope.replay.workload import Op


def queue_item(s: State, item: int) -> None:
    """Queues the item, or a mark's stand-in, which then waits for a thread."""
    key = s.rank[item]
    if s.given.first_come:
        key += s.now
    heappush(s.queued, (key, item))
    kind = s.given.kind
    if kind == NET:
        ensure_requested(s)
    elif kind == DEDICATED:
        start_thread(s)
    elif kind != ALLOWED:
        signal_one(s)


def arrive(s: State, item: int) -> None:
    """Enqueues the item, once."""
    if s.arrived[item] == inf:
        s.arrived[item] = s.now
        what = s.queue[item]
        if what < 0 or carries(s, what, item):
            queue_item(s, item)


def work_off(s: State, what: int) -> None:
    """Begins an item that works off a queue: items that arrived since it was queued have nothing left to do."""
    for item in taken_along(s, what):
        start(s, item)
        finish(s, item)


def come(s: State, item: int) -> None:
    """Lets the item, or its stand-in, arrive."""
    if s.stand_in[item] == READY and s.arrived[item] == inf:
        s.stand_in[item] = NOT
        if carries(s, ENGINE, item):
            s.stand_in[item] = QUEUED_FIRST
            queue_item(s, item)
    else:
        arrive(s, item)  # unless it has already arrived


def mark_comes(s: State, number: int) -> None:
    """Handles a mark's answer that comes after the item that fires the mark has run.

    With stand-ins the engine is queued once more for it. `number` is that of the mark among items and marks.
    """
    if not s.given.stand_ins:
        fire_mark(s, number - s.items)
    elif carries(s, ENGINE, number):
        queue_item(s, number)


def stand_in(s: State, first: int) -> None:
    """Runs a stand-in, which hands its item on or fires its mark, and the stand-ins that have arrived since."""
    for number in (first, *taken_along(s, ENGINE)):
        if number >= s.items:
            fire_mark(s, number - s.items)
        else:
            s.stand_in[number] = NOT
            arrive(s, number)
    release_thread(s)


def release_thread(s: State) -> None:
    """Frees the item's thread. The pool decides the thread's next step."""
    if s.given.kind == ALLOWED:
        s.working -= 1
    else:
        s.free += 1


def block(s: State) -> None:
    """Blocks the item. Its thread leaves the core, and also the item unless the item holds it."""
    s.switches += 1.0
    if not s.given.holding:
        release_thread(s)


def start(s: State, item: int) -> None:
    """Starts the item."""
    s.start[item] = s.now
    s.at_once += item < s.given.counted


def finish(s: State, item: int) -> None:
    """Ends the item."""
    s.end[item] = s.now
    s.at_once -= item < s.given.counted
    s.unfinished -= 1


def let_go_on(s: State, item: int) -> None:
    """Ends the item's wait. It continues when the present item has reached its next stop."""
    s.resumed.append(item)
    task_wait_over(s, item)


def task_wait_over(s: State, item: int) -> None:
    """Performs NotifyThreadUnblocked, if the item's thread had announced a wait for a task."""
    if s.in_task_wait[item]:
        s.in_task_wait[item] = False
        s.blocked_workers -= 1
        if s.pending != IMMEDIATELY and s.added > 0 and s.goal > blocking_goal(s):
            s.pending = IMMEDIATELY
            signal_gate(s)


def blocking_goal(s: State) -> int:
    """Returns the goal that replaces every worker that waits for a task."""
    return int(min(s.limit_min + s.blocked_workers, s.limit_max))


def signal_gate(s: State) -> None:
    """Wakes the gate thread between its checks."""
    ensure_gate(s)
    s.signal_at = min(s.signal_at, s.now + WAKE_NS)


def note_task_wait(s: State, item: int) -> None:
    """Performs NotifyThreadBlocked of dotnet/runtime's PortableThreadPool: a worker waits for a task."""
    if s.given.kind != NET or not s.given.holding or not s.net.cooperative:
        return
    s.in_task_wait[item] = True
    s.blocked_workers += 1
    if s.pending != WITH_DELAY and s.goal < blocking_goal(s):
        if s.pending == NONE:
            signal_gate(s)
        s.pending = WITH_DELAY


def release_lock(s: State, lock: int) -> None:
    """Passes the lock to the item that has waited longest, if any."""
    waiters = s.lock_waiters[lock]
    if waiters:
        let_go_on(s, waiters.popleft())
    else:
        s.lock_held[lock] = False


def fire_mark(s: State, mark: int) -> None:
    """Lets every waiter of the mark continue, in order of arrival."""
    s.mark_fired[mark] = True
    for item in s.mark_waiters.pop(mark, ()):
        let_go_on(s, item)


def sleep(s: State, item: int, ns: float) -> None:
    """Blocks the item until something outside the pool finishes."""
    heappush(s.blocked, (s.now + ns, item))


def advance(s: State, item: int) -> None:
    """Runs the item on its thread until it computes, blocks or ends."""
    end = s.first[item + 1]
    while True:
        at = s.position[item]
        if at == end:
            finish(s, item)
            release_thread(s)
            return
        op = s.op[at]
        if op == Op.CPU:
            heappush(s.running, (s.virtual + s.value[at], item))
            return
        s.position[item] = at + 1
        if op == Op.BLOCKED or op == Op.TASK_BLOCKED:
            sleep(s, item, s.value[at])
            if op == Op.TASK_BLOCKED:
                note_task_wait(s, item)
            block(s)
            return
        target = s.target[at]
        if op == Op.WAIT or op == Op.TASK_WAIT:
            if not s.mark_fired[target]:
                s.mark_waiters[target].append(item)
                if op == Op.TASK_WAIT:
                    note_task_wait(s, item)
                block(s)
                return
        elif op == Op.ACQUIRE:
            if s.lock_held[target]:
                s.lock_waiters[target].append(item)
                block(s)
                return
            s.lock_held[target] = True
        elif op == Op.RELEASE:
            release_lock(s, target)
        elif op == Op.ENQUEUE:
            time = comes_at(s, target, s.value[at])
            if time <= s.now:
                arrive(s, target)
            elif time < inf:
                handed_on_later(s, target, time)
        elif op == Op.ANSWER:
            answered(s, target, s.now + s.value[at])
        elif op == Op.ANSWER_MARK:
            mark_answered(s, target, s.now + s.value[at])
        else:
            time = mark_fires_at(s, target)
            if time <= s.now:
                fire_mark(s, target)
            elif time < inf:
                fire_at(s, target, time)


def go_on(s: State, item: int) -> None:
    """Lets a blocked item continue: on the thread that it holds, or as soon as it gets one."""
    if s.given.holding:
        task_wait_over(s, item)
        advance(s, item)
        return
    at = s.position[item]
    if at == s.first[item + 1]:
        finish(s, item)
    elif s.op[at] == Op.BLOCKED or s.op[at] == Op.TASK_BLOCKED:  # no thread is needed to keep sleeping
        s.position[item] = at + 1
        sleep(s, item, s.value[at])
    else:
        queue_item(s, item)


def comes_by_itself(s: State, item: int, time: float) -> None:
    """Lets the item arrive at that time, among the items whose blocked time ends, unless something brings it sooner."""
    if s.arrived[item] == inf and s.coming[item] == inf:
        s.coming[item] = time
        heappush(s.blocked, (time, item))


def handed_on_later(s: State, item: int, time: float) -> None:
    """Lets the item's data arrive at that time, after the item that hands it on has run.

    With stand-ins, the engine would be queued once more and need a thread: the item stands in for it.
    """
    if s.given.stand_ins and s.arrived[item] == inf and s.coming[item] == inf:
        s.stand_in[item] = READY
    comes_by_itself(s, item, time)


def answered(s: State, item: int, time: float) -> None:
    """Lets the answer for the item arrive at that time."""
    before = s.answered[item]
    if before == HANDED_ON:
        handed_on_later(s, item, time)
    elif before == 0.0:
        comes_by_itself(s, item, time)
    else:
        s.answered[item] = time


def comes_at(s: State, item: int, not_before: float) -> float:
    """Returns when an item that another item hands on arrives. inf: its answer will bring it."""
    time = s.answered[item]
    if time == inf:
        s.answered[item] = HANDED_ON
    return max(not_before, time)


def mark_answered(s: State, mark: int, time: float) -> None:
    """Lets the answer for the mark arrive at that time."""
    if s.mark_answered[mark] == HANDED_ON:
        fire_at(s, mark, time)
    s.mark_answered[mark] = time


def mark_fires_at(s: State, mark: int) -> float:
    """Returns when a mark fires that an item has reached. inf: with its answer."""
    time = s.mark_answered[mark]
    if time == inf:
        s.mark_answered[mark] = HANDED_ON
    return time


def fire_at(s: State, mark: int, time: float) -> None:
    """Lets the mark fire at that time, among the items whose blocked time ends."""
    heappush(s.blocked, (time, s.items + mark))
