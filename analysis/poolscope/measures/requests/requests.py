"""The requests of a web service: each from the arrival of its last byte to the first byte of its answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo, load_socket_io
from poolscope.attribution.causes.wakers import OUTSIDE, running_item
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import first_after
from poolscope.capture import DecodedCapture
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.measures.requests.answer import find_answers, from_answer
from poolscope.measures.requests.connections import tie
from poolscope.measures.requests.tiles import UNREAD, TileRows, Tiles
from poolscope.measures.requests.walk import find_ground, to_read


FOLLOWED, NOT_RECORDED, NOT_TOLD = "followed", "not_recorded", "not_told"
"""What a capture tells of the bytes of requests: when they arrived and who read them; nothing; or, as Windows, that there were
some, and neither of both (docs/requests.md)."""


@dataclass(frozen=True)
class Requests:
    """One row per request that the web server told of, shape (requests,). Times are ns from the start of the window."""

    method: AnyArray
    path: AnyArray
    begun: IntArray
    """When the server told of it first."""
    arrived: IntArray
    """Its last byte; NEVER: not known, the request is not tied."""
    reader: IntArray
    """Index into Executions of what read its last byte; OUTSIDE: not known, or not tied."""
    answered: IntArray
    """The first byte of its answer was sent; NEVER: not seen, or not tied."""
    sender: IntArray
    """Index into Executions of what sent that; OUTSIDE: not known."""
    left: IntArray
    """When it left the application; NEVER: not seen."""
    last: IntArray
    """In which execution that was; OUTSIDE: not known."""
    socket: IntArray
    """`sockets.id`; -1: not tied."""
    tiles: Tiles
    """Of the requests that are tied and answered: from `arrived` to `answered` without a gap."""
    remote: AnyArray
    """Per socket: address and port of the other end; None: not seen."""
    not_begun: IntArray
    """When the data arrived that lay unread, or read and not begun, at the end of the capture, on connections that requests
    came over and on those to the same addresses from which nothing was read; shape (connections,)."""
    stop: int
    """End of the window."""
    arrivals: str = FOLLOWED
    """FOLLOWED, NOT_RECORDED or NOT_TOLD."""

    @property
    def count(self) -> int:
        return len(self.begun)

    @property
    def tied(self) -> BoolArray:
        return np.asarray(self.arrived >= 0)

    @property
    def whole(self) -> BoolArray:
        """Tied and answered."""
        return np.asarray((self.arrived >= 0) & (self.answered >= 0))

    @property
    def latency(self) -> IntArray:
        """Of the tied ones, and of those that were not begun, ns; a lower bound where `unanswered`."""
        until = np.where(self.answered >= 0, self.answered, self.stop)[self.tied]
        return np.concatenate((until - self.arrived[self.tied], self.stop - self.not_begun))

    @property
    def in_application(self) -> IntArray:
        """Of every request, ns from when the server told of it until it left the application; a lower bound where `inside`."""
        return np.maximum(np.where(self.inside, self.stop, self.left) - self.begun, 0)

    @property
    def inside(self) -> BoolArray:
        """It was not seen to leave the application."""
        return np.asarray(self.left < 0)

    @property
    def unanswered(self) -> BoolArray:
        """As `latency`: no answer was seen up to the end of the capture."""
        return np.concatenate((self.answered[self.tied] < 0, np.ones(len(self.not_begun), dtype=bool)))


def measure_requests(capture: DecodedCapture, attribution: Attribution) -> Requests | None:
    """None where ASP.NET Core told of no request. Without `socket_io` no request is tied."""
    table = capture.table("requests") if capture.has("requests") else pd.DataFrame()
    if len(table) == 0:
        return None
    start, stop = capture.window
    begun = table["start"].to_numpy() - start
    executions = Executions.of(attribution.items, find_carried(capture, attribution.items))
    io = load_socket_io(capture, executions)
    left, left_tid = _left(table, start)
    if io is None:
        nothing = np.full(len(table), NEVER, dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        return Requests(
            *_names(table),
            begun,
            nothing,
            nothing,
            nothing,
            nothing,
            left,
            nothing,
            nothing,
            TileRows(none).tiles(),
            none,
            none,
            stop - start,
            NOT_TOLD if capture.has("socket_reports") else NOT_RECORDED,
        )
    ground = find_ground(capture, attribution.items, executions, io)
    first = running_item(executions, table["tid"].to_numpy().astype(np.int64), begun)

    way_in = TileRows(np.zeros(len(begun), dtype=np.int64))
    read = tie(io, table, begun, to_read(ground, begun, first, way_in), way_in)
    tied = read >= 0
    taken = np.where(tied, read, 0)
    arrived = np.where(tied, io.reads.arrived[taken], NEVER) if len(io.reads.time) else read
    socket = np.where(tied, io.reads.socket[taken], NEVER) if len(io.reads.time) else read
    rows = np.flatnonzero(tied)
    way_in.add(rows, UNREAD, arrived[rows], io.reads.time[read[rows]], io.reads.item[read[rows]])

    answer = find_answers(io, table, begun, socket, left)
    answered = np.where(answer >= 0, io.sends.time[np.maximum(answer, 0)], NEVER) if len(io.sends.time) else answer
    last = running_item(executions, left_tid, left)
    way_out = from_answer(ground, begun, first, left, last, answer, socket)
    tiles = _of(answered >= 0, way_in.tiles(), way_out)
    return Requests(
        *_names(table),
        begun,
        arrived,
        np.where(tied, io.reads.item[taken], OUTSIDE) if len(io.reads.time) else read,
        answered,
        np.where(answer >= 0, io.sends.item[np.maximum(answer, 0)], OUTSIDE) if len(io.sends.time) else answer,
        left,
        last,
        socket,
        tiles,
        io.remote,
        _not_begun(io, socket, begun),
        stop - start,
    )


def _left(table: pd.DataFrame, start: int) -> tuple[IntArray, IntArray]:
    """When each request left the application, ns from `start`, and on which thread; NEVER: not seen. The server tells it some
    microseconds before the host does, and of each request of a shared connection."""
    by_server = table["end"].to_numpy() >= 0
    left = np.where(by_server, table["end"], table["handler_end"])
    tid = np.where(by_server, table["end_tid"], table["handler_end_tid"]).astype(np.int64)
    return np.where(left >= 0, left - start, NEVER), tid


def _names(table: pd.DataFrame) -> tuple[AnyArray, AnyArray]:
    return table["method"].astype(object).to_numpy(), table["path"].astype(object).to_numpy()


def _of(chosen: BoolArray, *ways: Tiles) -> Tiles:
    both = [way.where(chosen[way.request]) for way in ways]
    return Tiles(*(np.concatenate(columns) for columns in zip(*(way.columns() for way in both), strict=True)))


def _not_begun(io: SocketIo, socket: IntArray, begun: IntArray) -> IntArray:
    """Of each connection over which a request has come: the first data since its last request began. Of those that came to
    the same addresses and were never read: their first data. A service that does not even accept has all its requests there.
    """
    used = np.unique(socket[socket >= 0])
    read = np.zeros(len(io.role), dtype=bool)
    read[io.reads.socket] = True
    served = pd.Series(io.local).isin(pd.Series(io.local[used]).dropna()).to_numpy() & (io.role != CONNECTED)
    used = np.union1d(used, np.flatnonzero(served & ~read))
    latest = np.zeros(len(io.role), dtype=np.int64)
    tied = socket >= 0
    np.maximum.at(latest, socket[tied], begun[tied])
    order = np.lexsort((io.arrival_time, io.arrival_socket))
    row, some = first_after(io.arrival_socket[order], io.arrival_time[order], used, latest[used])
    return np.asarray(io.arrival_time[order][row[some]])
