"""The send with the first byte of each request's answer, the way back from it, and the connection of the request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from poolscope.attribution.causes.origins import OUTSIDE
from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import first_after, latest, ordered
from poolscope.executions.segments import Executions
from poolscope.measures.requests.tiles import EXECUTED, OTHER, SERVICE, TileRows, Tiles
from poolscope.measures.requests.walk import MOST_STEPS_TO_READ, Begin, Ground, led_to, to_begin


def tie(io: SocketIo, table: pd.DataFrame, begun: IntArray, read: IntArray, rows: TileRows) -> IntArray:
    """Compares the reads to which requests were traced back, and returns the row of Reads of each request; NEVER if
    none.

    The socket of a connection is the one to which most of its requests were traced, if it belongs to no other
    connection; ties are dropped. A request traced elsewhere, or nowhere, gets the last read of its connection before it
    began. In `rows`, its stretches are replaced by one from that read to its beginning.
    """
    if len(io.reads.time) == 0:
        return read
    connection = table["connection"].astype("category").cat.codes.to_numpy().astype(np.int64)
    found = read >= 0
    socket = np.where(found, io.reads.socket[np.maximum(read, 0)], NEVER)
    named = found & (connection >= 0)
    of_connection = _one_to_one(connection[named], socket[named], count=int(connection.max(initial=-1)) + 1)
    expected = np.where(connection >= 0, of_connection[connection], socket) if len(of_connection) else socket
    right = found & (socket == expected)
    rest = np.flatnonzero(~right & (expected >= 0))
    result = np.where(right, read, NEVER)
    rows.drop(np.flatnonzero(~right))
    if len(rest) == 0:
        return result

    at, some = latest(io.reads.socket, io.reads.time, expected[rest], begun[rest])
    usable = some & (io.reads.arrived[at] >= 0) & (io.role[expected[rest]] != CONNECTED)
    chosen, by = rest[usable], at[usable]
    result[chosen] = by
    rows.add(chosen, OTHER, io.reads.time[by], begun[chosen])
    return result


def _one_to_one(connection: IntArray, socket: IntArray, count: int) -> IntArray:
    """Returns the socket of each connection, shape (count,); NEVER if it has none, or more than one."""
    result = np.full(count, NEVER, dtype=np.int64)
    if len(connection) == 0:
        return result
    votes = pd.DataFrame({"connection": connection, "socket": socket}).value_counts().reset_index(name="votes")
    best = votes[votes["votes"] == votes.groupby("connection")["votes"].transform("max")]
    best = best[~best["connection"].duplicated(keep=False)]
    # A socket belongs to the connection that most of its requests name.
    best = best.sort_values("votes", ascending=False)
    of_socket = best.groupby("socket")["votes"].transform("max")
    best = best[best["votes"] == of_socket]
    best = best[~best["socket"].duplicated(keep=False)]
    result[best["connection"].to_numpy()] = best["socket"].to_numpy()
    return result


ONE_AT_A_TIME = ("HTTP/1.0", "HTTP/1.1")
"""Protocols in which a connection's answers come in the order of its requests."""


def find_answers(io: SocketIo, table: pd.DataFrame, begun: IntArray, socket: IntArray, left: IntArray) -> IntArray:
    """Returns the row of Sends that carried the first byte of each answer; NEVER if none.

    This is the first send over its connection after the request began, if it precedes the connection's next request. If
    requests share a connection (HTTP/2 and later), it is the first send after the request left the application, because
    earlier sends cannot be distinguished from the other answers.

    `left` is when the request left the application, NEVER if not seen.
    """
    result = np.full(len(begun), NEVER, dtype=np.int64)
    shared = ~table["protocol"].isna().to_numpy() & ~table["protocol"].isin(ONE_AT_A_TIME).to_numpy()
    since = np.where(shared, left, begun)
    rows = np.flatnonzero((socket >= 0) & (since >= 0))
    if len(rows) == 0:
        return result
    at, some = first_after(io.sends.socket, io.sends.time, socket[rows], since[rows])
    if len(io.sends.time) == 0:
        return result
    order = ordered(socket[rows], begun[rows])
    following, again = first_after(socket[rows][order], begun[rows][order], socket[rows], begun[rows])
    limit = np.where(again & ~shared[rows], begun[rows][order][following], np.iinfo(np.int64).max)
    result[rows] = np.where(some & (io.sends.time[at] <= limit), at, NEVER)
    return result


def from_answer(
    ground: Ground,
    begun: IntArray,
    first: IntArray,
    left: IntArray,
    last: IntArray,
    answer: IntArray,
    socket: IntArray,
) -> Tiles:
    """Follows each answered request from its beginning to the first byte of its answer, without a gap.

    One item of the server sends the data of several requests, and one of these queued the item. So the way back begins
    where the request left the application, in the item `last`, if that was before the send. It also begins in `last` if
    that item ran during the send and had no part in queueing the sending item: its data then went out with another
    request's answer.
    """
    rows = TileRows(begun)
    answered = np.flatnonzero(answer >= 0)
    if len(answered) == 0:
        return rows.tiles()
    sends = ground.io.sends
    time, item = sends.time[answer[answered]].copy(), sends.item[answer[answered]].copy()
    end, of_end = left[answered], last[answered]
    apart = (end >= 0) & (of_end != OUTSIDE) & (end <= time)
    _left_to_send(ground, rows, answered[apart], end[apart], of_end[apart], time[apart], item[apart])
    time[apart], item[apart] = end[apart], of_end[apart]
    shared = ~apart & (of_end >= 0) & (item >= 0) & ~_is_above(ground.parent, of_end, item)
    shared[shared] = _ran_at(ground.executions, of_end[shared], time[shared])
    flushed = np.maximum(ground.executions.start[item[shared]], ground.executions.start[of_end[shared]])
    rows.add(answered[shared], EXECUTED, np.minimum(flushed, time[shared]), time[shared], item[shared])
    time[shared], item[shared] = np.minimum(flushed, time[shared]), of_end[shared]

    inner = TileRows(begun[answered])
    inbound = _inbound(len(ground.io.role), socket)
    to_begin(ground, inbound, Begin.of(ground.executions, begun[answered], first[answered]), time, item, inner)
    way = _without_others(inner.tiles(), time, first[answered])
    own_way = rows.tiles()
    return Tiles(
        np.concatenate((own_way.request, answered[way.request])),
        *(np.concatenate(pair) for pair in zip(own_way.columns()[1:], way.columns()[1:], strict=True)),
    )


def _is_above(parent: IntArray, above: IntArray, item: IntArray) -> BoolArray:
    """Returns whether `item` is `above`, or was queued by it, directly or indirectly."""
    found = item == above
    for _ in range(MOST_STEPS_TO_READ):
        item = np.where(item >= 0, parent[item], OUTSIDE)
        found |= item == above
    return np.asarray(found)


def _ran_at(executions: Executions, item: IntArray, time: IntArray) -> BoolArray:
    return np.asarray((executions.start[item] <= time) & (time <= executions.end[item]))


def _without_others(tiles: Tiles, done: IntArray, first: IntArray) -> Tiles:
    """Turns the steps before another request's answer into OTHER, if a request got its connection from that request.

    The way back then leads through the other's answer on that connection, and that service is not this request's: no
    event shows what lies before it. The other request is recognised because it was done first and this request then
    asked on the same connection. Requests that wait for the same answer together do not ask. `done` and `first`: per
    request, when its way back begins, and the item in which the request began.
    """
    rows = np.flatnonzero(tiles.kind == SERVICE)
    order = rows[ordered(tiles.socket[rows], tiles.start[rows], done[tiles.request[rows]])]
    key = np.stack((tiles.socket[order], tiles.start[order]))
    new = np.append(True, (key[:, 1:] != key[:, :-1]).any(axis=0))[: len(order)]
    owner = tiles.request[order[new]][np.cumsum(new) - 1] if len(order) else order
    foreign = order[tiles.request[order] != owner]
    asks = rows[ordered(tiles.request[rows], tiles.socket[rows], tiles.start[rows])]
    pair = tiles.request * (int(tiles.socket.max(initial=0)) + 2) + tiles.socket
    _, later = first_after(pair[asks], tiles.start[asks], pair[foreign], tiles.start[foreign])
    cut = np.zeros(len(done), dtype=np.int64)
    np.maximum.at(cut, tiles.request[foreign[later]], tiles.end[foreign[later]])
    gone = (tiles.end <= cut[tiles.request]) & ((tiles.item != first[tiles.request]) | (tiles.item < 0))
    return replace(
        tiles,
        kind=np.where(gone, OTHER, tiles.kind),
        item=np.where(gone, -1, tiles.item),
        socket=np.where(gone, -1, tiles.socket),
    )


def _inbound(count: int, socket: IntArray) -> BoolArray:
    inbound = np.zeros(count, dtype=bool)
    inbound[socket[socket >= 0]] = True
    return inbound


def _left_to_send(
    ground: Ground, rows: TileRows, request: IntArray, end: IntArray, last: IntArray, time: IntArray, sender: IntArray
) -> None:
    """Adds the stretch from leaving the application to the send, by an item that requests may share. If that item was
    already queued for another answer, it takes this one along."""
    by = np.maximum(sender, 0)
    queued = np.where(sender >= 0, np.clip(ground.enqueue[by], end, time), time)
    ran_on = np.clip(ground.executions.end[last], end, queued)
    rows.add(request, EXECUTED, end, ran_on, last)
    led_to(ground, rows, request, ran_on, time, sender, OTHER)
