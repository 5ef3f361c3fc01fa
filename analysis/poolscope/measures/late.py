"""Requests, activities and calls that took far longer than others of their kind: what a user of the service would call late."""

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
"""From which latency on a request may be late: less may be a busy moment, and who waits a second notices."""
TIMES = 5.0
"""Times what its route usually takes: a long poll, a download or an open web socket takes its time always."""
LEAST = 10
"""Requests of a route without which nothing says what it usually takes."""
MEDIAN = 0.5
LOWER_QUARTILE = 0.25
"""What a route usually takes where something may have held up most of its requests. A route of long polls has quick requests,
too: only a place that is proven otherwise may be looked for with this."""
SHARE = 0.01
"""For all requests: fewer late ones are no matter of the service's."""


@dataclass(frozen=True)
class Late:
    """Shape (late,). Times are ns from the start of the window; what was not over ends with it."""

    row: IntArray
    """Index into Requests, Activities or Calls."""
    start: IntArray
    end: IntArray
    usual: IntArray
    """What others of its kind usually take, ns."""
    count: int
    """All of them."""

    @property
    def beyond(self) -> int:
        """By how much they took longer than usual, ns in all."""
        return int((self.end - self.start - self.usual).sum())

    @property
    def total(self) -> int:
        """What they took, ns in all."""
        return int((self.end - self.start).sum())

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max())

    def spells(self, gap: int) -> list[Late]:
        """Returns those between which one at least was under way, or less than `gap` ns passed, together; in order of time."""
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
    """Returns the same of activities, by source and operation; those that began before the recording are left out."""
    if activities is None or activities.count == 0:
        return None
    names = activities.name.astype(str)
    operation = pd.Series(names).map({name: operation_of(name) for name in set(names)})
    code = _codes(activities.source.astype(str), operation.to_numpy())
    return _late(np.flatnonzero(~activities.carried), activities.begun, activities.begun + activities.duration, code)


def find_late_calls(calls: Calls | None) -> Late | None:
    """Returns the same of calls through HttpClient, by host and route; those whose end is not reported are left out.

    Where most calls are late, none is by far later than usual: then those are that waited for another call's connection for most of
    their time.
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
    """Returns how long those requests took that would be late if their routes had enough others to compare with, ns, shape (long,)."""
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
    """Returns the late ones among these rows; `code` is the kind of each."""
    took, code = (end - start)[row], code[row]
    usual = pd.Series(took).groupby(code).quantile(usually, interpolation="lower").reindex(code).to_numpy()
    comparable = np.bincount(code, minlength=1)[code] >= LEAST
    late = np.flatnonzero((took >= LATE_NS) & (took >= TIMES * usual) & comparable)
    if len(late) < max(SHARE * len(start), 1):
        return None
    return Late(row[late], start[row][late], end[row][late], usual[late].astype(np.int64), len(start))


def spans_of(requests: Requests) -> tuple[IntArray, IntArray, IntArray]:
    """Returns when each request began and was over, and its route. It begins with its last byte, else when the server told of it, and is
    over with its answer, else when it left the application, whichever is later."""
    start = np.where(requests.arrived >= 0, np.minimum(requests.arrived, requests.begun), requests.begun)
    end = np.maximum(requests.left, requests.answered)
    end = np.where(end >= 0, end, requests.stop)
    _, code = route_codes(requests.method, requests.path)
    return start, end, code
