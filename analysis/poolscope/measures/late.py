"""Requests, activities and calls that took far longer than others of their kind, which users of the service would call
late."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.measures.activities import Activities
from poolscope.measures.calls import Calls
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.routes import operation_of, route_codes, routes_of

LATE_NS = 1 * NS_PER_S
"""The latency from which a request may be late, ns. Less may be a busy moment; a user notices a second."""
TIMES = 5.0
"""The factor over the usual time of its route: a long poll, a download or an open web socket always takes its time."""
LEAST = 10
"""The fewest requests of a route that show its usual time."""
MEDIAN = 0.5
LOWER_QUARTILE = 0.25
"""The quantile for a route's usual time if most of its requests may have been held up. A route of long polls has quick
requests too, so this is used only to find a place that other evidence proves."""
SHARE = 0.01
"""The least share of all requests that must be late. Fewer late requests are not a matter of the service."""


@dataclass(frozen=True)
class Late:
    """Late requests, activities or calls, shape (late,). Times are ns from the start of the window, and unfinished ones
    end with it."""

    row: IntArray
    """Index into Requests, Activities or Calls."""
    start: IntArray
    end: IntArray
    usual: IntArray
    """The usual time of its kind, ns."""
    count: int
    """The number of all of them."""

    @property
    def beyond(self) -> int:
        """The total time beyond the usual, ns."""
        return int((self.end - self.start - self.usual).sum())

    @property
    def total(self) -> int:
        """The total time, ns."""
        return int((self.end - self.start).sum())

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max())

    def spells(self, gap: int) -> list[Late]:
        """Returns groups in order of time: the members of a group overlap or are less than `gap` ns apart."""
        order = np.argsort(self.start, kind="stable")
        over = np.maximum.accumulate(self.end[order])
        first = np.flatnonzero(self.start[order][1:] - over[:-1] >= gap) + 1
        return [
            replace(self, row=self.row[rows], start=self.start[rows], end=self.end[rows], usual=self.usual[rows])
            for rows in np.split(order, first)
        ]


def find_late_requests(requests: Requests | None, usually: float = MEDIAN) -> Late | None:
    """Finds the late requests. Returns None if there are no requests, or too few late ones. `usually` is the quantile
    of its route that a request is compared with."""
    if requests is None or requests.count == 0:
        return None
    start, end, code = spans_of(requests)
    return _late(np.flatnonzero(~requests.early), start, end, code, usually)


def find_late_activities(activities: Activities | None) -> Late | None:
    """Returns the same for activities, by source and operation, without those that began before the recording."""
    if activities is None or activities.count == 0:
        return None
    names = activities.name.astype(str)
    operation = pd.Series(names).map({name: operation_of(name) for name in set(names)})
    code = _codes(activities.source.astype(str), operation.to_numpy())
    return _late(np.flatnonzero(~activities.carried), activities.begun, activities.begun + activities.duration, code)


def find_late_calls(calls: Calls | None) -> Late | None:
    """Returns the same for calls through HttpClient, by host and route, without those whose end is not reported.

    If most calls are late, none is far later than usual. Then the calls that spent most of their time waiting for
    another call's connection are returned.
    """
    if calls is None or calls.count == 0:
        return None
    code = _codes(calls.endpoint.astype(str), routes_of(calls.path))
    end = calls.begun + calls.latency
    if late := _late(np.flatnonzero(~calls.untold), calls.begun, end, code):
        return late
    held = np.flatnonzero(~calls.untold & (calls.held >= LATE_NS) & (2 * calls.held >= calls.latency))
    if len(held) < max(SHARE * calls.count, 1):
        return None
    return Late(held, calls.begun[held], end[held], (calls.latency - calls.held)[held], calls.count)


def long_and_rare(requests: Requests | None) -> IntArray:
    """Returns how long the requests took that would be late if their routes had enough others to compare with, ns,
    shape (long,)."""
    if requests is None or requests.count == 0:
        return np.zeros(0, dtype=np.int64)
    start, end, code = spans_of(requests)
    return (end - start)[(end - start >= LATE_NS) & (np.bincount(code)[code] < LEAST) & ~requests.early]


def _codes(*columns: AnyArray) -> IntArray:
    """Returns a number for each different row."""
    return np.asarray(
        pd.DataFrame(dict(enumerate(columns))).groupby(list(range(len(columns)))).ngroup(), dtype=np.int64
    )


def _late(row: IntArray, start: IntArray, end: IntArray, code: IntArray, usually: float = MEDIAN) -> Late | None:
    """Returns the late ones among these rows. `code` is the kind of each."""
    took, code = (end - start)[row], code[row]
    usual = pd.Series(took).groupby(code).quantile(usually, interpolation="lower").reindex(code).to_numpy()
    comparable = np.bincount(code, minlength=1)[code] >= LEAST
    late = np.flatnonzero((took >= LATE_NS) & (took >= TIMES * usual) & comparable)
    if len(late) < max(SHARE * len(start), 1):
        return None
    return Late(row[late], start[row][late], end[row][late], usual[late].astype(np.int64), len(start))


def spans_of(requests: Requests) -> tuple[IntArray, IntArray, IntArray]:
    """Returns when each request began and ended, and its route.

    A request begins with its last byte, or when the server first reported it if that is earlier or the byte is unknown.
    It ends with its answer or when it left the application, whichever is later.
    """
    start = np.where(requests.arrived >= 0, np.minimum(requests.arrived, requests.begun), requests.begun)
    end = np.maximum(requests.left, requests.answered)
    end = np.where(end >= 0, end, requests.stop)
    _, code = route_codes(requests.method, requests.path)
    return start, end, code
