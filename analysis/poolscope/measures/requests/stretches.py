"""The steps of requests cut along the scheduler's states: what was going on with each of them at every moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments
from poolscope.measures.requests.parts import PARTS
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import EXECUTED, OTHER, QUEUED, SERVICE, UNREAD, Tiles

MOSTLY = 0.5
"""For a stretch in which nothing ran: from this share on it is the suspension's that it lay in."""
_CODE = {name: code for code, name in enumerate(PARTS)}
_OF_KIND = {UNREAD: "unread", QUEUED: "queued", SERVICE: "services", OTHER: "other"}
_OF_STATE = {RUNNING: "cpu", READY: "ready", BLOCKED: "blocked"}


@dataclass(frozen=True)
class Stretches:
    """By request and time, shape (stretches,); no row is empty, and those of one request follow each other without a gap.
    Times are ns from the start of the window."""

    request: IntArray
    part: IntArray
    """Index into PARTS. A stretch has one name, where in the parts of a latency a suspension takes its own time alone."""
    start: IntArray
    end: IntArray
    item: IntArray
    """Index into Executions; -1: none."""
    socket: IntArray
    """Of `services`; -1: of the others."""
    enters: IntArray
    """1 where the request comes to an execution that it was not in before, else 0."""


def cut_stretches(requests: Requests, attribution: Attribution) -> Stretches:
    """Returns the tiles of every request that is tied and answered, executions cut along their states."""
    tiles = requests.tiles
    order = np.lexsort((tiles.start, tiles.request))
    tiles = Tiles(*(column[order] for column in tiles.columns()))
    ran = np.flatnonzero(tiles.kind == EXECUTED)
    row, state, start, end = _cut(tiles.where(tiles.kind == EXECUTED), attribution.segments)
    rest = np.flatnonzero(tiles.kind != EXECUTED)
    of_kind, of_state = np.full(5, -1), np.full(max(_OF_STATE) + 2, _CODE["unseen"])
    for kind, name in _OF_KIND.items():
        of_kind[kind] = _CODE[name]
    for known, name in _OF_STATE.items():
        of_state[known] = _CODE[name]
    tile = np.concatenate((ran[row], rest))
    part = np.concatenate((of_state[state], of_kind[tiles.kind[rest]]))
    start, end = np.concatenate((start, tiles.start[rest])), np.concatenate((end, tiles.end[rest]))
    still = np.isin(part, (_CODE["blocked"], _CODE["other"]))
    paused = np.asarray(attribution.suspension.integral(start, end)) > MOSTLY * (end - start)
    part = np.where(still & paused, _CODE["runtime"], part)
    in_time = np.lexsort((start, tiles.request[tile]))
    tile, part, start, end = tile[in_time], part[in_time], start[in_time], end[in_time]
    request, item, socket = tiles.request[tile], tiles.item[tile], tiles.socket[tile]
    executed = tiles.kind[tile] == EXECUTED
    goes_on = np.zeros(len(tile), dtype=bool)
    goes_on[1:] = (request[1:] == request[:-1]) & (item[1:] == item[:-1]) & (executed[1:] == executed[:-1])
    enters = executed & ~goes_on
    # The kernel parts a state where it has something to tell of it.
    goes_on[1:] &= (part[1:] == part[:-1]) & (socket[1:] == socket[:-1])
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(tile)) - 1 if len(tile) else first
    return Stretches(
        request[first], part[first], start[first], end[last], item[first], socket[first], enters[first].astype(np.int64)
    )


def _cut(tiles: Tiles, segments: Segments) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cuts tiles by the states of their threads: index of the tile, state, start and end of every piece. A state of -1
    means that no segment is there."""
    none = np.zeros(0, dtype=np.int64)
    if len(tiles.item) == 0:
        return none, none, none, none
    order = np.lexsort((segments.start, segments.item))
    item, begin, stop = segments.item[order], segments.start[order], segments.end[order]
    span = int(max(stop.max(initial=0), tiles.end.max())) + 1
    first = np.searchsorted(item * span + stop, tiles.item * span + tiles.start, side="right")
    last = np.searchsorted(item * span + begin, tiles.item * span + tiles.end, side="left")
    count = np.maximum(last - first, 0)
    row = np.repeat(np.arange(len(count)), count)
    which = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    start, end = np.maximum(begin[which], tiles.start[row]), np.minimum(stop[which], tiles.end[row])
    # What lies before each piece, and behind the last one of each tile.
    before = tiles.start[row].copy()
    inner = np.flatnonzero(row[1:] == row[:-1]) + 1 if len(row) else none
    before[inner] = end[inner - 1]
    reached = tiles.start.copy()
    reached[row] = end
    every = np.arange(len(count))
    pieces = (
        np.concatenate((row, row, every)),
        np.concatenate((segments.state[order][which], np.full(len(row) + len(count), -1))),
        np.concatenate((start, before, reached)),
        np.concatenate((end, start, tiles.end)),
    )
    keep = pieces[3] > pieces[2]
    row, state, start, end = (np.asarray(column[keep], dtype=np.int64) for column in pieces)
    return row, state, start, end
