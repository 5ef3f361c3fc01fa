"""Which connection each request came over: every id that the web server gives a connection is one socket."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo
from poolscope.base.arrays import IntArray
from poolscope.base.lookup import latest
from poolscope.measures.requests.tiles import OTHER, TileRows


def tie(io: SocketIo, table: pd.DataFrame, begun: IntArray, read: IntArray, rows: TileRows) -> IntArray:
    """Holds the reads that requests were led back to against each other, and returns the row of Reads of each; NEVER: none.

    Of the sockets that the requests of one connection were led to, the one that most were led to is it, if it is no other
    connection's; ties are dropped. A request that was led elsewhere, or nowhere, has the last read of its connection before
    it began. `rows` get what lies between for the ones that were led nowhere, and lose what the others had.
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
    """Returns the socket of each connection, shape (count,); NEVER: none, or not one alone."""
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
