"""Walks back from an event to its origin: through executions, queues, and the answers of other services."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.origins import OUTSIDE, find_arrivals
from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo, find_shared
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions
from poolscope.measures.requests.tiles import EXECUTED, OTHER, QUEUED, SERVICE, SHARED, THREAD, TIMER, UNREAD, TileRows

MOST_STEPS = 400
"""The most steps of one walk. A request that calls more services one after another has the first ones as OTHER."""
MOST_STEPS_TO_READ = 8
"""The most steps from the item that read a request's bytes to the item in which it begins: one or two; TLS and HTTP/2
add one each."""


@dataclass(frozen=True)
class Ground:
    """The data that walks use."""

    executions: Executions
    enqueue: IntArray
    """Per execution, ns from the start of the window. For an execution carried into the capture, its start."""
    parent: IntArray
    """Per execution, the execution that queued it, OUTSIDE if none."""
    old: BoolArray
    """Per execution, whether it was queued before the recording."""
    by_sockets: BoolArray
    """Per execution, whether the runtime's thread that waits for sockets queued it."""
    by_timer: BoolArray
    """Per execution, whether the runtime's timer thread queued it."""
    by_thread: BoolArray
    """Per execution, whether a thread queued it that is outside the pool and not the runtime's."""
    io: SocketIo
    shared: BoolArray
    """Per socket, the result of `find_shared`."""


@dataclass(frozen=True)
class Begin:
    """The ends of walks back, shape (requests,). Times are ns from the start of the window."""

    time: IntArray
    item: IntArray
    """Index into Executions of the execution in which the request began, OUTSIDE if none. A higher number is a place
    that no walk reaches."""
    own_until: IntArray
    """Until when that execution is known to be the request's, unless something shows how it continued. Meaningless
    without an item."""

    @staticmethod
    def of(executions: Executions, time: IntArray, item: IntArray) -> Begin:
        """Returns a Begin for which the execution is the request's until it ends."""
        return Begin(time, item, executions.end[item] if executions.count else time)


def find_ground(capture: DecodedCapture, items: Items, executions: Executions, io: SocketIo) -> Ground:
    """Collects the data of the walk. `executions` begin with those of `items`."""
    carried = executions.count - items.count
    arrivals = find_arrivals(capture, items, executions)
    return Ground(
        executions,
        np.concatenate((items.enqueue, executions.start[items.count :])),
        np.concatenate((arrivals.parent, np.full(carried, OUTSIDE))),
        np.concatenate((items.censored_start, np.ones(carried, dtype=bool))),
        np.concatenate((arrivals.by_sockets, np.zeros(carried, dtype=bool))),
        np.concatenate((arrivals.completion & ~arrivals.by_sockets, np.zeros(carried, dtype=bool))),
        np.concatenate((arrivals.by_thread, np.zeros(carried, dtype=bool))),
        io,
        find_shared(io),
    )


def to_read(ground: Ground, begun: IntArray, item: IntArray, rows: TileRows) -> tuple[IntArray, BoolArray]:
    """Walks from the beginning of each request to the read of its bytes.

    Returns the row of Reads, NEVER if the chain of items leads to none. Also returns whether the chain ends in an item
    from before the recording: the bytes had then been read by that time. Adds the path to `rows`, also if it leads to
    no read.

    `begun`, shape (requests,), is ns from the start of the window; `item` is the item of that moment.
    """
    executions, reads = ground.executions, ground.io.reads
    found = np.full(len(begun), NEVER, dtype=np.int64)
    before = np.zeros(len(begun), dtype=bool)
    active, time, at = _known(np.arange(len(begun)), begun, item)
    for _ in range(MOST_STEPS_TO_READ):
        if len(active) == 0:
            break
        read, inside = reads.last_up_to(at, time)
        inside &= _since(reads.time, read, executions.start[at])
        last, by = active[inside], read[inside]
        rows.add(last, EXECUTED, reads.time[by], time[inside], at[inside])
        inbound = (ground.io.role[reads.socket[by]] != CONNECTED) & (reads.arrived[by] >= 0)
        found[last[inbound]] = by[inbound]
        rest = ~inside
        before[active[rest]] = ground.old[at[rest]]
        active, time, at = _to_parent(ground, rows, active[rest], time[rest], at[rest])
    return found, before


def to_begin(ground: Ground, inbound: BoolArray, begin: Begin, time: IntArray, item: IntArray, rows: TileRows) -> None:
    """Walks from a time and an item of each request back to its beginning, and fills rows without a gap.

    `inbound` says, per socket, that it carries requests, so that data read from it is no service's answer.
    """
    executions, reads = ground.executions, ground.io.reads
    begun, first = begin.time, begin.item
    everyone = np.arange(len(begun))
    lost = item < 0
    _give_up(rows, begin, everyone[lost], time[lost])
    active, time, at = _known(everyone, time, item)
    for _ in range(MOST_STEPS):
        if len(active) == 0:
            break
        at_first = at == first[active]
        floor = np.where(at_first, np.maximum(begun[active], executions.start[at]), executions.start[at])
        read, inside = reads.last_up_to(at, time)
        inside &= _since(reads.time, read, floor)
        by = np.where(inside, read, 0)
        answer = inside & _is_answer(ground, inbound, by, begun[active])

        # An answer of another service: continue with the item that asked for it.
        asked = by[answer]
        rows.add(active[answer], EXECUTED, reads.time[asked], time[answer], at[answer])
        led_to(ground, rows, active[answer], reads.arrived[asked], reads.time[asked], at[answer], UNREAD)
        rows.add(active[answer], SERVICE, reads.sent[asked], reads.arrived[asked], socket=reads.socket[asked])
        on = (active[answer], reads.sent[asked], reads.sender[asked])

        # Some other data was read. No event shows which request waited for it.
        other = inside & ~answer & ~at_first
        rows.add(active[other], EXECUTED, reads.time[by[other]], time[other], at[other])
        shared = other & _is_shared(ground, by)
        led_to(ground, rows, active[shared], reads.arrived[by[shared]], reads.time[by[shared]], at[shared], UNREAD)
        _give_up(rows, begin, active[shared], reads.arrived[by[shared]], SHARED, reads.socket[by[shared]])
        other &= ~shared
        _give_up(rows, begin, active[other], reads.time[by[other]])

        home = at_first & ~answer
        rows.add(active[home], EXECUTED, begun[active[home]], time[home], at[home])

        rest = ~inside & ~at_first
        request, when, above = _to_parent(ground, rows, active[rest], time[rest], at[rest], keep_lost=True)
        lost = (above < 0) & (when > begun[request])
        due = lost & ground.by_timer[at[rest]]
        _give_up(rows, begin, request[due], when[due], TIMER)
        lost &= ~due
        handed = lost & ground.by_thread[at[rest]]
        _give_up(rows, begin, request[handed], when[handed], THREAD, item=at[rest][handed])
        lost &= ~handed
        _give_up(rows, begin, request[lost], when[lost])
        request, when, above = (np.concatenate(pair) for pair in zip(on, (request, when, above), strict=True))
        going = (above >= 0) & (when > begun[request])
        active, time, at = request[going], when[going], above[going]
    _give_up(rows, begin, active, time)


def led_to(
    ground: Ground, rows: TileRows, request: IntArray, since: IntArray, until: IntArray, item: IntArray, engine: int
) -> None:
    """Fills the stretches up to an item's action: in its hands, in the queue with it, and before that with the items
    that led to it, such as the socket engine's or the one that asked and continued.

    Shape (stretches,). `since` and `until` are ns from the start of the window. `item` is OUTSIDE if there is none.
    `engine` is the kind of the stretch before the first item of the socket engine.
    """
    executions, by_sockets = ground.executions, np.zeros(len(item), dtype=bool)
    for _ in range(MOST_STEPS):
        lost = item < 0
        for kind, chosen in ((engine, lost & by_sockets), (OTHER, lost & ~by_sockets)):
            rows.add(request[chosen], kind, since[chosen], until[chosen])
        going = ~lost & (until > since)
        request, since, until, item = request[going], since[going], until[going], item[going]
        if len(request) == 0:
            return
        start, enqueue = executions.start[item], ground.enqueue[item]
        rows.add(request, EXECUTED, np.maximum(since, start), until, item)
        rows.add(request, QUEUED, np.maximum(since, enqueue), np.minimum(start, until), item)
        until, by_sockets, item = np.minimum(until, enqueue), ground.by_sockets[item], ground.parent[item]
    rows.add(request, OTHER, since, until)


def _known(request: IntArray, time: IntArray, item: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    known = item >= 0
    return request[known], time[known], item[known]


def _since(of_time: IntArray, row: IntArray, floor: IntArray) -> BoolArray:
    return np.asarray(of_time[row] >= floor) if len(of_time) else np.zeros(len(row), dtype=bool)


def _to_parent(
    ground: Ground, rows: TileRows, request: IntArray, time: IntArray, item: IntArray, keep_lost: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    """Moves to the item that queued each item, at that moment. With `keep_lost`, also if the queuing item is
    unknown."""
    start, enqueue, parent = ground.executions.start[item], ground.enqueue[item], ground.parent[item]
    rows.add(request, EXECUTED, start, time, item)
    rows.add(request, QUEUED, enqueue, start, item)
    return (request, enqueue, parent) if keep_lost else _known(request, enqueue, parent)


def _is_answer(ground: Ground, inbound: BoolArray, read: IntArray, begun: IntArray) -> BoolArray:
    """Returns which reads took an answer to something that an item sent after the request began."""
    reads = ground.io.reads
    if len(reads.time) == 0:
        return np.zeros(len(read), dtype=bool)
    asked = (reads.sent[read] >= begun) & (reads.sender[read] != OUTSIDE)
    return np.asarray(~inbound[reads.socket[read]] & asked & (reads.arrived[read] >= 0))


def _is_shared(ground: Ground, read: IntArray) -> BoolArray:
    """Returns which reads took data from a shared connection whose arrival was recorded."""
    reads = ground.io.reads
    if len(reads.time) == 0:
        return np.zeros(len(read), dtype=bool)
    return np.asarray(ground.shared[reads.socket[read]] & (reads.arrived[read] >= 0))


def _give_up(
    rows: TileRows,
    begin: Begin,
    request: IntArray,
    time: IntArray,
    kind: int = OTHER,
    socket: IntArray | int = -1,
    item: IntArray | int = -1,
) -> None:
    """Ends the way back if no event shows what led here.

    It ends in the item in which the request began, as long as that was the request's own. `kind` is that of the stretch
    without an event.
    """
    begun, first = begin.time[request], begin.item[request]
    ended = np.where(first >= 0, np.clip(begin.own_until[request], begun, np.maximum(time, begun)), begun)
    rows.add(request, kind, ended, time, item, socket)
    rows.add(request, EXECUTED, begun, ended, first)
