"""Stretches of a request's time, each of one kind. The stretches of one request follow each other without a gap."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray

UNREAD, QUEUED, EXECUTED, SERVICE, OTHER, TIMER, SHARED, THREAD = range(8)
"""Kinds of stretches. The request's bytes were unread in the socket; an item of it was in the queue; an item was being
executed; an answer of another service was awaited; no event shows the reason (another request's work, an asynchronous
lock). Only their end identifies the last three: a timer, data on a connection that requests share, or a thread outside
the pool resumed the request."""
DARK = (OTHER, TIMER, SHARED, THREAD)
"""Kinds for which no event of the request itself shows where it was."""


@dataclass(frozen=True)
class Tiles:
    """One row per stretch, shape (tiles,); no row is empty. Times are ns from the start of the window."""

    request: IntArray
    kind: IntArray
    start: IntArray
    end: IntArray
    item: IntArray
    """Index into Executions, -1 if none. For UNREAD the item that read the bytes, for THREAD the item that the thread
    queued."""
    socket: IntArray
    """The socket of SERVICE and SHARED, -1 for the others."""

    @property
    def duration(self) -> IntArray:
        return self.end - self.start

    def where(self, rows: BoolArray | IntArray) -> Tiles:
        """Returns the chosen rows, shape (tiles,)."""
        return Tiles(*(column[rows] for column in self.columns()))

    def columns(self) -> tuple[IntArray, ...]:
        """Returns the columns in the order of the fields."""
        return self.request, self.kind, self.start, self.end, self.item, self.socket


@dataclass
class TileRows:
    """Collects tiles. `floor` is, per request, the time before which nothing is a part of it, ns."""

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
        """Adds the part of each stretch above the floor, unless it is empty."""
        start = np.maximum(start, self.floor[request])
        keep = end > start
        columns = np.broadcast_arrays(request, kind, start, end, item, socket)
        self._rows.append(tuple(np.asarray(column[keep], dtype=np.int64) for column in columns))

    def drop(self, request: IntArray) -> None:
        """Removes all tiles of these requests."""
        self._rows = [tuple(column[~np.isin(row[0], request)] for column in row) for row in self._rows]

    def tiles(self) -> Tiles:
        """Returns all tiles that were added."""
        if not self._rows:
            return Tiles(*(np.zeros(0, dtype=np.int64) for _ in range(6)))
        return Tiles(*(np.concatenate(column) for column in zip(*self._rows, strict=True)))
