"""The requests of a web service, each from the arrival of its last byte to the first byte of its answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.causes.origins import OUTSIDE, running_item
from poolscope.attribution.causes.socket_io import ACCEPTED, CONNECTED, FULL, NEVER, SENT, SocketIo
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import first_after, ordered
from poolscope.base.stages import once
from poolscope.capture import DecodedCapture
from poolscope.measures.earlier import first_lost
from poolscope.measures.requests.answer import find_answers, from_answer, tie
from poolscope.measures.requests.routes import route_codes
from poolscope.measures.requests.tiles import UNREAD, TileRows, Tiles
from poolscope.measures.requests.walk import find_ground, to_read
from poolscope.measures.services import load_sockets

FOLLOWED, NOT_RECORDED, NOT_TOLD = "followed", "not_recorded", "not_told"
"""What a capture shows of the bytes of requests (docs/requests.md): their arrival and their reader; nothing; or, as on
Windows, only that there were some."""


@dataclass(frozen=True)
class Requests:
    """One row per request that the web server reported, shape (requests,). Times are ns from the start of the
    window."""

    method: AnyArray
    path: AnyArray
    begun: IntArray
    """The server's first report of the request."""
    arrived: IntArray
    """The arrival of its last byte. NEVER if unknown, and the request is then not tied."""
    early: BoolArray
    """True if it is tied and its bytes arrived before the recording: `arrived` is then when they were found unread."""
    reader: IntArray
    """Index into Executions of the reader of its last byte. OUTSIDE if unknown or not tied."""
    answered: IntArray
    """The send of the first byte of its answer. NEVER if not seen or not tied."""
    sender: IntArray
    """Index into Executions of the sender of that byte. OUTSIDE if unknown."""
    left: IntArray
    """When it left the application. NEVER if not seen."""
    last: IntArray
    """The execution in which it left the application. OUTSIDE if unknown."""
    socket: IntArray
    """`sockets.id`, -1 if not tied."""
    tiles: Tiles
    """For the requests that are tied and answered: from `arrived` to `answered` without a gap."""
    remote: AnyArray
    """Per socket, the address and port of the remote end. None if not seen."""
    not_begun: IntArray
    """When the data arrived that was unread, or read but not begun, at the end of the capture; shape (connections,).
    Covers the connections of requests, and those to the same addresses from which nothing was read."""
    not_begun_early: BoolArray
    """True for entries of `not_begun` whose data arrived before the recording and was found unread then."""
    before_end: IntArray
    """When other requests from before the recording left the application, NEVER if not seen; shape (before,).

    Their bytes had been read before the recording, so they have no socket. Some are rows of Requests that are not tied;
    those that began before the recording are not.
    """
    silent: int
    """The least number of connections from before the recording whose first event is a send, or that have no event.
    Less the requests in `before_end`.

    They are idle, their answers were already on the way, or their requests neither began nor ended in the recording.
    """
    stop: int
    """The end of the window."""
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
        """True if tied and answered."""
        return np.asarray((self.arrived >= 0) & (self.answered >= 0))

    @property
    def latency(self) -> IntArray:
        """The latency of the tied requests, then of those not begun, then of those in `before_end`, ns. A lower bound
        if `at_least`."""
        until = np.where(self.answered >= 0, self.answered, self.stop)[self.tied]
        before = np.where(self.before_end >= 0, self.before_end, self.stop)
        return np.concatenate((until - self.arrived[self.tied], self.stop - self.not_begun, before))

    @property
    def in_application(self) -> IntArray:
        """For every request, ns from the server's first report until it left the application. A lower bound if
        `inside`."""
        return np.maximum(np.where(self.inside, self.stop, self.left) - self.begun, 0)

    def main_route(self, share: float) -> str | None:
        """Returns the HTTP method and the route with at least this share of the time of all requests in the
        application, or None."""
        names, code = route_codes(self.method, self.path)
        took = np.bincount(code, self.in_application, len(names))
        most = int(took.argmax()) if len(took) else 0
        return " ".join(names[most]) if took.sum() > 0 and took[most] >= share * took.sum() else None

    @property
    def longest_open_after_answer(self) -> int:
        """The longest time that a request stayed in the application after the first byte of its answer, ns; 0 if none
        did."""
        stayed = np.where(self.inside, self.stop, self.left) - self.answered
        return int(stayed[self.answered >= 0].max(initial=0))

    @property
    def inside(self) -> BoolArray:
        """True if it was not seen to leave the application."""
        return np.asarray(self.left < 0)

    @property
    def unanswered(self) -> BoolArray:
        """In the order of `latency`: whether no answer was seen up to the end of the capture."""
        return np.concatenate(
            (self.answered[self.tied] < 0, np.ones(len(self.not_begun), dtype=bool), self.before_end < 0)
        )

    @property
    def at_least(self) -> BoolArray:
        """In the order of `latency`: whether it is a lower bound, because the answer or the arrival was not seen."""
        early = np.concatenate((self.early[self.tied], self.not_begun_early))
        return np.asarray(self.unanswered | np.concatenate((early, np.ones(len(self.before_end), dtype=bool))))

    @property
    def arrived_at(self) -> IntArray:
        """In the order of `latency`: when each request arrived, -1 if before the recording."""
        tied = np.where(self.early, -1, self.arrived)[self.tied]
        not_begun = np.where(self.not_begun_early, -1, self.not_begun)
        return np.concatenate((tied, not_begun, np.full(len(self.before_end), -1)))

    @property
    def answers(self) -> IntArray:
        """In the order of `latency`: when each was answered, or left the application if its answer is unknown. NEVER if
        not seen."""
        return np.concatenate((self.answered[self.tied], np.full(len(self.not_begun), NEVER), self.before_end))


@once
def measure_requests(capture: DecodedCapture, attribution: Attribution) -> Requests | None:
    """Measures each request of ASP.NET Core. Returns None if none was reported. Ties no request without `socket_io`."""
    if not capture.has("requests"):
        return None
    table, before = capture.table("requests"), _begun_before(capture)
    start, stop = capture.window
    begun = table["start"].to_numpy() - start
    executions = attribution.executions
    io = load_sockets(capture, attribution)
    left, left_tid = _left(table, start)
    if io is None:
        nothing = np.full(len(table), NEVER, dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        return Requests(
            *_names(table),
            begun,
            nothing,
            np.zeros(len(table), dtype=bool),
            nothing,
            nothing,
            nothing,
            left,
            nothing,
            nothing,
            TileRows(none).tiles(),
            none,
            none,
            none.astype(bool),
            before,
            0,
            stop - start,
            NOT_TOLD if capture.has("socket_reports") else NOT_RECORDED,
        )
    ground = find_ground(capture, attribution.items, executions, io)
    first = running_item(executions, table["tid"].to_numpy().astype(np.int64), begun)

    way_in = TileRows(np.zeros(len(begun), dtype=np.int64))
    led, old = to_read(ground, begun, first, way_in)
    read = tie(io, table, begun, led, way_in)
    tied = read >= 0
    taken = np.where(tied, read, 0)
    arrived = np.where(tied, io.reads.arrived[taken], NEVER) if len(io.reads.time) else read
    early = tied & io.reads.early[taken] if len(io.reads.time) else tied
    socket = np.where(tied, io.reads.socket[taken], NEVER) if len(io.reads.time) else read
    rows = np.flatnonzero(tied)
    way_in.add(rows, UNREAD, arrived[rows], io.reads.time[read[rows]], io.reads.item[read[rows]])

    answer = find_answers(io, table, begun, socket, left)
    answered = np.where(answer >= 0, io.sends.time[np.maximum(answer, 0)], NEVER) if len(io.sends.time) else answer
    last = running_item(executions, left_tid, left)
    before = np.concatenate((left[old & ~tied & (begun < first_lost(capture))], before))
    way_out = from_answer(ground, begun, first, left, last, answer, socket)
    tiles = _of(answered >= 0, way_in.tiles(), way_out)
    return Requests(
        *_names(table),
        begun,
        arrived,
        early,
        np.where(tied, io.reads.item[taken], OUTSIDE) if len(io.reads.time) else read,
        answered,
        np.where(answer >= 0, io.sends.item[np.maximum(answer, 0)], OUTSIDE) if len(io.sends.time) else answer,
        left,
        last,
        socket,
        tiles,
        io.remote,
        *_not_begun(io, socket, begun),
        before,
        max(_silent(capture, io) - len(before), 0),
        stop - start,
    )


def _left(table: pd.DataFrame, start: int) -> tuple[IntArray, IntArray]:
    """Returns when each request left the application, ns from `start`, and on which thread; NEVER if not seen.

    The server reports it some microseconds before the host does, and for each request of a shared connection.
    """
    by_server = table["end"].to_numpy() >= 0
    left = np.where(by_server, table["end"], table["handler_end"])
    tid = np.where(by_server, table["end_tid"], table["handler_end_tid"]).astype(np.int64)
    return np.where(left >= 0, left - start, NEVER), tid


def _names(table: pd.DataFrame) -> tuple[AnyArray, AnyArray]:
    """Returns method and path; empty if a capture has none."""
    return tuple(table[name].astype(object).fillna("").to_numpy() for name in ("method", "path"))  # type: ignore[return-value]


def _of(chosen: BoolArray, *ways: Tiles) -> Tiles:
    both = [way.where(chosen[way.request]) for way in ways]
    return Tiles(*(np.concatenate(columns) for columns in zip(*(way.columns() for way in both), strict=True)))


def _not_begun(io: SocketIo, socket: IntArray, begun: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns, per connection, when data without a request arrived, and whether it arrived before the recording.

    For a connection with a request, this is the first data since its last request began. For other connections at the
    same addresses that were never read, it is their first data, or the time at which data from before the recording was
    found in them. A service that does not even accept has all its requests there.
    """
    read = np.zeros(len(io.role), dtype=bool)
    read[io.reads.socket] = True
    used = np.unique(socket[socket >= 0])
    here = pd.Series(io.local).isin(_served(io, used)).to_numpy() & (io.role != CONNECTED) & ~read
    lies = (io.unread >= 0) & (here | (pd.isna(io.local) & (io.role == ACCEPTED) & ~read))
    used = np.union1d(used, np.flatnonzero(here & ~lies))
    latest = np.zeros(len(io.role), dtype=np.int64)
    tied = socket >= 0
    np.maximum.at(latest, socket[tied], begun[tied])
    order = ordered(io.arrival_socket, io.arrival_time)
    row, some = first_after(io.arrival_socket[order], io.arrival_time[order], used, latest[used])
    came = io.arrival_time[order][row[some]] if len(order) else np.zeros(0, dtype=np.int64)
    old = np.repeat((False, True), (len(came), int(lies.sum())))
    return np.concatenate((came, io.unread[lies])), old


def _served(io: SocketIo, used: IntArray) -> AnyArray:
    """Returns the addresses at which requests arrive: those of the connections that carried requests.

    If no request is tied to an address, the only address that accepts connections counts. With several, one of them may
    not belong to a web server.
    """
    known = pd.Series(io.local[used]).dropna().unique()
    taken = pd.Series(io.local[io.role == ACCEPTED]).dropna().unique()
    return np.asarray(known if len(known) or len(taken) != 1 else taken, dtype=object)


def _silent(capture: DecodedCapture, io: SocketIo) -> int:
    """Counts the connections from before the recording with no event, or with an answer to a request that was not
    seen."""
    old = (io.role == ACCEPTED) & (io.unread < 0) & (capture.table("sockets")["opened"].to_numpy() < 0)
    table = capture.table("socket_io")
    # Column by column: pandas would first copy the whole table.
    first = np.flatnonzero(~table["socket"].duplicated().to_numpy())
    unseen = ~np.isin(table["direction"].to_numpy()[first], (SENT, FULL))
    old[table["socket"].to_numpy()[first[unseen]]] = False
    return int(old.sum())


def _begun_before(capture: DecodedCapture) -> IntArray:
    """Returns when the requests that began before the recording left the application, ns from its start."""
    if not capture.has("earlier_requests"):
        return np.zeros(0, dtype=np.int64)
    end = capture.table("earlier_requests")["end"].to_numpy().astype(np.int64) - capture.window[0]
    return np.asarray(np.maximum(end[end < first_lost(capture)], 0))
