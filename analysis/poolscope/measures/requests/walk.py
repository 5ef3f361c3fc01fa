"""Back from an event to what it followed from: through executions, queues, and the answers of other services."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo
from poolscope.attribution.causes.wakers import OUTSIDE
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.executions.segments import Executions
from poolscope.measures.requests.tiles import EXECUTED, OTHER, QUEUED, SERVICE, TileRows

MOST_STEPS = 400
"""Of one walk. A request that calls more services one after the other has its first ones under OTHER."""
MOST_STEPS_TO_READ = 8
"""From the item that read a request's bytes to the item in which it begins: one or two; TLS and HTTP/2 add one each."""


@dataclass(frozen=True)
class Ground:
    """What walks go over."""

    executions: Executions
    enqueue: IntArray
    """Per execution, ns from the start of the window; of one that was carried in its start."""
    parent: IntArray
    """Per execution: the one that queued it; OUTSIDE: none did."""
    old: BoolArray
    """Per execution: it was queued before the recording."""
    io: SocketIo


def to_read(ground: Ground, begun: IntArray, item: IntArray, rows: TileRows) -> tuple[IntArray, BoolArray]:
    """Walks from the beginning of each request to the read of its bytes; returns the row of Reads, NEVER where the chain of
    items leads to none, and whether it ends in an item from before the recording: then the bytes had been read by then. Rows
    get the way, of the others too.

    `begun`, shape (requests,): ns from the start of the window; `item`: in which that was.
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


def to_begin(
    ground: Ground, inbound: BoolArray, begun: IntArray, first: IntArray, time: IntArray, item: IntArray, rows: TileRows
) -> None:
    """Walks from a time and an item of each request back to its beginning, and fills rows without a gap.

    `begun`, `first`: when each began, and in which item; `inbound`, per socket: requests come over it, so that what is read
    from it is no service's answer.
    """
    executions, reads = ground.executions, ground.io.reads
    everyone = np.arange(len(begun))
    lost = item < 0
    _give_up(ground, rows, begun, first, everyone[lost], time[lost])
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

        # An answer of another service: on to whoever asked for it.
        asked = by[answer]
        rows.add(active[answer], EXECUTED, reads.time[asked], time[answer], at[answer])
        _read_late(ground, rows, active[answer], asked, at[answer])
        rows.add(active[answer], SERVICE, reads.sent[asked], reads.arrived[asked], socket=reads.socket[asked])
        on = (active[answer], reads.sent[asked], reads.sender[asked])

        # Something else was read: whoever waited for it is not told.
        other = inside & ~answer & ~at_first
        rows.add(active[other], EXECUTED, reads.time[by[other]], time[other], at[other])
        _give_up(ground, rows, begun, first, active[other], reads.time[by[other]])

        home = at_first & ~answer
        rows.add(active[home], EXECUTED, begun[active[home]], time[home], at[home])

        rest = ~inside & ~at_first
        request, when, above = _to_parent(ground, rows, active[rest], time[rest], at[rest], keep_lost=True)
        lost = (above < 0) & (when > begun[request])
        _give_up(ground, rows, begun, first, request[lost], when[lost])
        request, when, above = (np.concatenate(pair) for pair in zip(on, (request, when, above), strict=True))
        going = (above >= 0) & (when > begun[request])
        active, time, at = request[going], when[going], above[going]
    _give_up(ground, rows, begun, first, active, time)


def _known(request: IntArray, time: IntArray, item: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    known = item >= 0
    return request[known], time[known], item[known]


def _since(of_time: IntArray, row: IntArray, floor: IntArray) -> BoolArray:
    return np.asarray(of_time[row] >= floor) if len(of_time) else np.zeros(len(row), dtype=bool)


def _to_parent(
    ground: Ground, rows: TileRows, request: IntArray, time: IntArray, item: IntArray, keep_lost: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    """Goes to the item that queued each item, at that moment. `keep_lost`: also where nobody is known to have."""
    start, enqueue, parent = ground.executions.start[item], ground.enqueue[item], ground.parent[item]
    rows.add(request, EXECUTED, start, time, item)
    rows.add(request, QUEUED, enqueue, start, item)
    return (request, enqueue, parent) if keep_lost else _known(request, enqueue, parent)


def _is_answer(ground: Ground, inbound: BoolArray, read: IntArray, begun: IntArray) -> BoolArray:
    """Which reads took an answer to what an item sent after the request had begun."""
    reads = ground.io.reads
    if len(reads.time) == 0:
        return np.zeros(len(read), dtype=bool)
    asked = (reads.sent[read] >= begun) & (reads.sender[read] != OUTSIDE)
    return np.asarray(~inbound[reads.socket[read]] & asked & (reads.arrived[read] >= 0))


def _read_late(ground: Ground, rows: TileRows, request: IntArray, read: IntArray, item: IntArray) -> None:
    """From the arrival of an answer to its read: in the queue with the item that read it, or in that item's hands."""
    reads = ground.io.reads
    arrived, taken = reads.arrived[read], reads.time[read]
    start, enqueue = ground.executions.start[item], ground.enqueue[item]
    rows.add(request, OTHER, arrived, np.clip(enqueue, arrived, taken))
    rows.add(request, QUEUED, np.maximum(arrived, enqueue), np.minimum(start, taken), item)
    rows.add(request, EXECUTED, np.maximum(arrived, start), taken, item)


def _give_up(
    ground: Ground, rows: TileRows, begun: IntArray, first: IntArray, request: IntArray, time: IntArray
) -> None:
    """Nobody tells what led to this: back to the item in which the request began, as long as it ran."""
    ended = np.clip(ground.executions.end[first[request]], begun[request], np.maximum(time, begun[request]))
    ended = np.where(first[request] >= 0, ended, begun[request])
    rows.add(request, OTHER, ended, time)
    rows.add(request, EXECUTED, begun[request], ended, first[request])
