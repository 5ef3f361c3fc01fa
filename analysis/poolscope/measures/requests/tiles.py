"""Stretches of a request's time, each of one kind and without a gap between them; and the route that a request belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray

_ANY = re.compile(
    r"\d+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12,}|(?=[^/]*\d[^/]*\d[^/]*\d)[\w.~%=+-]{20,}"
)
"""A segment that is a number, a GUID, a hexadecimal key, or long with several digits in it, as tokens are."""
ANYTHING = "{id}"


def route_of(path: str) -> str:
    """Turns a path into a route: `/orders/17/lines` becomes `/orders/{id}/lines`. ASP.NET Core's events have the path
    and not the route, so this is a guess: names in a path stay, and each has a row of its own."""
    return "/".join(ANYTHING if _ANY.fullmatch(segment) else segment for segment in path.split("/"))


def operation_of(name: str) -> str:
    """Turns an activity's name into an operation, word by word as for a path: `ship order 17` becomes `ship order
    {id}`."""
    return " ".join(route_of(word) for word in name.split(" "))


def route_codes(methods: AnyArray, paths: AnyArray) -> tuple[list[tuple[str, str]], IntArray]:
    """Returns every HTTP method with its route once, and for each request, shape (requests,), which one is its own."""
    path_code, path = pd.factorize(np.asarray(paths, dtype=object), use_na_sentinel=False)
    method_code, method = pd.factorize(np.asarray(methods, dtype=object), use_na_sentinel=False)
    # Paths of one route become one before they are paired: there may be as many paths as requests.
    route_code, route = pd.factorize(np.array([route_of(str(one)) for one in path], dtype=object))
    pair = method_code * max(len(route), 1) + (route_code[path_code] if len(path) else path_code)
    code, known = pd.factorize(pair)
    names = [(str(method[k // len(route)]), str(route[k % len(route)])) for k in known.tolist()]
    return names, np.asarray(code, dtype=np.int64)


def routes_of(paths: AnyArray) -> AnyArray:
    """Returns the route of each path, shape (paths,), objects; a path that is there twice is examined once, and a missing one is empty."""
    code, known = pd.factorize(np.asarray(paths, dtype=object))
    routes = np.array([*(route_of(str(path)) for path in known), ""], dtype=object)
    return np.asarray(routes[code])


UNREAD, QUEUED, EXECUTED, SERVICE, OTHER = range(5)
"""Kinds: the request's bytes lay in the socket; an item of it was in the queue; one was being executed; an answer of
another service was awaited; what no event shows (a delay, another request's work)."""


@dataclass(frozen=True)
class Tiles:
    """One row per stretch, shape (tiles,); no row is empty. Times are ns from the start of the window."""

    request: IntArray
    kind: IntArray
    start: IntArray
    end: IntArray
    item: IntArray
    """Index into Executions; of UNREAD the item that read the bytes. -1: none."""
    socket: IntArray
    """Of SERVICE; -1: of the others."""

    @property
    def duration(self) -> IntArray:
        return self.end - self.start

    def where(self, rows: BoolArray) -> Tiles:
        """Returns the chosen rows, shape (tiles,)."""
        return Tiles(*(column[rows] for column in self.columns()))

    def columns(self) -> tuple[IntArray, ...]:
        """Returns the columns in the order of the fields."""
        return self.request, self.kind, self.start, self.end, self.item, self.socket


@dataclass
class TileRows:
    """Collects tiles. `floor`, per request: nothing before this time is a part of it, ns."""

    floor: IntArray
    _rows: list[tuple[IntArray, ...]] = field(default_factory=list)

    def add(
        self,
        request: IntArray,
        kind: int,
        start: IntArray,
        end: IntArray,
        item: IntArray | int = -1,
        socket: IntArray | int = -1,
    ) -> None:
        """Adds what of each stretch is not empty above the floor."""
        start = np.maximum(start, self.floor[request])
        keep = end > start
        columns = np.broadcast_arrays(request, kind, start, end, item, socket)
        self._rows.append(tuple(np.asarray(column[keep], dtype=np.int64) for column in columns))

    def drop(self, request: IntArray) -> None:
        """Forgets what these requests have so far."""
        self._rows = [tuple(column[~np.isin(row[0], request)] for column in row) for row in self._rows]

    def tiles(self) -> Tiles:
        """Returns all that were added."""
        if not self._rows:
            return Tiles(*(np.zeros(0, dtype=np.int64) for _ in range(6)))
        return Tiles(*(np.concatenate(column) for column in zip(*self._rows, strict=True)))
