"""Requests: a slice from arrival to answer, its steps inside, and a flow from its bytes through the items that served
it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.executions.segments import Executions
from poolscope.export.formats import Source
from poolscope.export.perfetto.stream import BEGINS, ENDS, Encoder, Events, Value, end
from poolscope.export.perfetto.tracks import Tracks, lanes
from poolscope.html.escape import visible
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import PARTS, Stretches, cut_stretches
from poolscope.measures.requests.routes import route_codes
from poolscope.product.requests import PART_WORDS

GROUP = "Requests"
LANE = "requests"
CATEGORY, STEP = "request", "request step"
WAITING = "data without a request that had begun"
"""The name of the slices of Requests.not_begun."""
AFTER_ALL = np.iinfo(np.int64).max // 2
"""Sorts an event after every slice that begins at the same time."""


class Counts(TypedDict):
    """The numbers of slices, steps and flows drawn."""

    requests: int
    steps: int
    flows: int


class RequestEvents:
    """The events of `requests`, and of the connections whose data was still waiting at the end."""

    def __init__(self, source: Source, requests: Requests, executions: Executions, encoder: Encoder) -> None:
        capture = source.capture
        self._encoder, self._requests, self._executions = encoder, requests, executions
        self._base, self._stop = capture.window
        self._parts = source.request_parts
        self._stretches: Stretches | None = None
        if self._parts is not None:
            self._stretches = cut_stretches(requests, source.attribution)
        self._connection: list[object] = capture.table("requests")["connection"].astype(object).tolist()
        self._remote = requests.remote
        names, code = route_codes(requests.method, requests.path)
        self._names = encoder.names([visible(f"{method} {route}") for method, route in names])
        self._code: list[int] = code.tolist()
        self._items_row: IntArray = source.attribution.items.row
        self._first_flow = len(capture.table("work_items")) + 1

    def events(self, tracks: Tracks) -> tuple[list[Events], Counts]:
        """Returns all events, and the numbers of slices, steps and flows."""
        requests = self._requests
        tied = requests.tied
        until = np.where(requests.answered >= 0, requests.answered, requests.stop)
        left = np.where(requests.left >= 0, requests.left, requests.stop)
        start = np.concatenate((np.where(tied, requests.arrived, requests.begun), requests.not_begun))
        stop = np.concatenate((np.where(tied, until, left), np.full(len(requests.not_begun), requests.stop)))
        stop = np.maximum(stop, start)
        of_lane = lanes(start, stop)
        group = tracks.of_process(GROUP)
        track = [tracks.below(group, LANE) for _ in range(int(of_lane.max(initial=-1)) + 1)]
        # If two begin at the same time, one may be empty; it ends before the other begins. Its steps come in between.
        room = 2 + (0 if self._stretches is None else int(np.bincount(self._stretches.request).max(initial=0)))
        place = np.empty(len(start), dtype=np.int64)
        place[np.lexsort((stop, start))] = np.arange(len(start)) * room
        ends = [end(one) for one in track]
        sources = [Events(start + self._base, BEGINS, self._begin(of_lane, track), place)]
        for empty in (False, True):
            which = np.flatnonzero((stop <= start) == empty)

            def finish(rows: IntArray, which: IntArray = which) -> list[bytes]:
                return [ends[lane] for lane in of_lane[which[rows]].tolist()]

            sources.append(
                Events(stop[which] + self._base, BEGINS if empty else ENDS, finish, place[which] + (room - 1) * empty)
            )
        steps, flows = 0, 0
        if self._stretches is not None:
            sources += self._steps(self._stretches, of_lane, track, ends, place)
            marks, flows = self._marks(self._stretches, tracks)
            sources.append(marks)
            steps = len(self._stretches.start)
        return sources, {"requests": len(start), "steps": steps, "flows": flows}

    def _begin(self, of_lane: IntArray, track: list[int]) -> Callable[[IntArray], list[bytes]]:
        """Returns the encoder of slice beginnings: one row per request, then the connections with waiting data."""
        encoder, requests = self._encoder, self._requests
        category = encoder.category(CATEGORY)
        (waiting,) = encoder.names([WAITING])
        key = dict(
            zip(
                names := ("request", "tied", "answered", "begun", "latency_ns", "latency_is_at_least"),
                encoder.keys(*names),
            )
        )
        connection, client = encoder.keys("connection", "client")
        part_keys = encoder.keys(*(f"{name}_ns" for name in PARTS))
        tied, answered = requests.tied, requests.answered >= 0
        until = np.where(answered, requests.answered, requests.stop)
        split = _by_request(self._parts, requests.count)
        chain = self._chained()

        def encode(rows: IntArray) -> list[bytes]:
            encoded = []
            for row, lane in zip(rows.tolist(), of_lane[rows].tolist()):
                given: list[bytes] = []

                def say(name: str, value: Value, given: list[bytes] = given) -> None:
                    given.append(encoder.argument(key[name], value))

                if row >= requests.count:
                    since = int(requests.not_begun[row - requests.count])
                    say("begun", False)
                    say("latency_ns", requests.stop - since)
                    say("latency_is_at_least", True)
                    encoded.append(encoder.begin(track[lane], waiting, category, given))
                    continue
                say("request", row)
                say("tied", bool(tied[row]))
                if tied[row]:
                    say("answered", bool(answered[row]))
                    say("latency_ns", int(until[row] - requests.arrived[row]))
                    if not answered[row] or requests.early[row]:
                        say("latency_is_at_least", True)
                    given += [encoder.argument(k, n) for k, n in zip(part_keys, split[row].tolist()) if n]
                    remote = self._remote[requests.socket[row]] if requests.socket[row] >= 0 else None
                    if isinstance(remote, str):
                        given.append(encoder.argument(client, visible(remote)))
                if isinstance(self._connection[row], str):
                    given.append(encoder.argument(connection, visible(str(self._connection[row]))))
                starts = self._first_flow + row if chain[row] else None
                encoded.append(encoder.begin(track[lane], self._names[self._code[row]], category, given, starts=starts))
            return encoded

        return encode

    def _chained(self) -> BoolArray:
        """Returns which requests have an execution on a track, shape (requests,)."""
        chained = np.zeros(self._requests.count, dtype=bool)
        if self._stretches is not None:
            chained[self._stretches.request[self._enters()]] = True
        return chained

    def _enters(self) -> IntArray:
        """Returns the rows of the stretches in which a request reaches an execution whose thread is known."""
        assert self._stretches is not None
        stretches = self._stretches
        known = (stretches.item >= 0) & (self._executions.worker[np.maximum(stretches.item, 0)] >= 0)
        return np.flatnonzero((stretches.enters > 0) & known)

    def _steps(
        self, stretches: Stretches, of_lane: IntArray, track: list[int], ends: list[bytes], place: IntArray
    ) -> list[Events]:
        encoder = self._encoder
        category = encoder.category(STEP)
        names = encoder.names([PART_WORDS[part] for part in PARTS])
        item_key, endpoint_key = encoder.keys("item", "endpoint")
        lane = of_lane[stretches.request]
        first = np.flatnonzero(np.append(True, stretches.request[1:] != stretches.request[:-1]))
        count = np.diff(np.append(first, len(lane)))
        rank = np.arange(len(lane)) - np.repeat(first, count)
        rows_of_items = self._rows_of_items()
        item = np.where(stretches.item >= 0, rows_of_items[np.maximum(stretches.item, 0)], -1)

        def begin(rows: IntArray) -> list[bytes]:
            encoded = []
            for at, part, of, socket in zip(
                lane[rows].tolist(), stretches.part[rows].tolist(), item[rows].tolist(), stretches.socket[rows].tolist()
            ):
                given = [encoder.argument(item_key, of)] if of >= 0 else []
                if socket >= 0 and isinstance(self._remote[socket], str):
                    given.append(encoder.argument(endpoint_key, visible(self._remote[socket])))
                encoded.append(encoder.begin(track[at], names[part], category, given))
            return encoded

        return [
            Events(stretches.start + self._base, BEGINS, begin, place[stretches.request] + 1 + rank),
            Events(stretches.end + self._base, ENDS, lambda rows: [ends[at] for at in lane[rows].tolist()]),
        ]

    def _rows_of_items(self) -> IntArray:
        """Returns `work_items.id` of each execution, -1 for those carried into the capture."""
        rows = np.full(self._executions.count, -1, dtype=np.int64)
        rows[: self._executions.items] = self._items_row
        return rows

    def _marks(self, stretches: Stretches, tracks: Tracks) -> tuple[Events, int]:
        """Returns a mark in each item that a request reaches, for the request's flow to pass through, and the number of
        flow arrows."""
        encoder = self._encoder
        rows = self._enters()
        category = encoder.category(CATEGORY)
        (key,) = encoder.keys("request")
        request, worker = stretches.request[rows], self._executions.worker[stretches.item[rows]]
        last = np.append(request[1:] != request[:-1], True)[: len(rows)]

        def encode(chosen: IntArray) -> list[bytes]:
            encoded = []
            for of, tid, ending in zip(request[chosen].tolist(), worker[chosen].tolist(), last[chosen].tolist()):
                flow, given = self._first_flow + of, [encoder.argument(key, of)]
                name, thread = self._names[self._code[of]], tracks.threads[tid]
                if ending:
                    encoded.append(encoder.instant(thread, name, category, given, ends=flow))
                else:
                    encoded.append(encoder.instant(thread, name, category, given, flow))
            return encoded

        return Events(stretches.start[rows] + self._base, BEGINS, encode, AFTER_ALL + np.arange(len(rows))), len(rows)


def _by_request(parts: RequestParts | None, count: int) -> AnyArray:
    """Returns the parts of each request, shape (requests, PARTS), ns; 0 for requests without parts."""
    split = np.zeros((count, len(PARTS)), dtype=np.int64)
    if parts is not None:
        split[parts.row] = np.stack([parts.part[name] for name in PARTS], axis=1)
    return split


def request_events(
    source: Source, executions: Executions, tracks: Tracks, encoder: Encoder
) -> tuple[list[Events], Counts]:
    """Returns the slices of the requests and their counts. Empty if the web server reported no requests."""
    requests = source.requests
    if requests is None:
        return [], {"requests": 0, "steps": 0, "flows": 0}
    return RequestEvents(source, requests, executions, encoder).events(tracks)
