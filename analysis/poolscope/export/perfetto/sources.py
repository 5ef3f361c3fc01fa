"""Events from several tables, brought into one order of time piece by piece.

Only one piece's events exist as bytes at a time: what is held of a large capture is its tables and a few columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray

EVENTS_AT_ONCE = 200_000

ENDS, INSTANTS, BEGINS, COUNTS = range(4)
"""What comes first at the same nanosecond: a thread ends an item before it begins the next, and an item that starts at
once was still queued before."""


@dataclass(frozen=True)
class Events:
    """Events of one kind."""

    time: IntArray
    """Shape (events,), ns of the capture's clock; in any order."""
    rank: int
    """ENDS, INSTANTS, BEGINS or COUNTS."""
    encode: Callable[[IntArray], list[bytes]]
    """The TrackEvents of these events (indexes into `time`)."""
    order: IntArray | None = None
    """Among events of one time and rank, shape (events,); None: as they are."""


def merged(sources: list[Events]) -> Iterator[tuple[list[int], list[bytes]]]:
    """Yields all events by time, in pieces: times and TrackEvents."""
    sources = [source for source in sources if len(source.time)]
    if not sources:
        return
    sorts = [np.argsort(source.time, kind="stable") for source in sources]
    times = [source.time[order] for source, order in zip(sources, sorts)]
    done = [0] * len(sources)
    for until in _cuts(times):
        chosen: list[IntArray] = []
        for i, time in enumerate(times):
            stop = int(np.searchsorted(time, until, side="right"))
            chosen.append(sorts[i][done[i] : stop])
            done[i] = stop
        yield _piece(sources, chosen)


def _cuts(times: list[AnyArray]) -> list[int]:
    """Returns the last times of pieces of about EVENTS_AT_ONCE events; all events of one time are in one piece."""
    total = sum(map(len, times))
    pieces = max(1, -(-total // EVENTS_AT_ONCE))
    # A sample of every source, as dense as the source: enough to find times between which there are about this many.
    step = max(1, EVENTS_AT_ONCE // 256)
    sample = np.sort(np.concatenate([time[::step] for time in times]))
    inner = sample[(np.arange(1, pieces) * len(sample)) // pieces]
    last = max(int(time[-1]) for time in times)
    return [*map(int, np.unique(inner[inner < last])), last]


def _piece(sources: list[Events], chosen: list[IntArray]) -> tuple[list[int], list[bytes]]:
    time = np.concatenate([source.time[rows] for source, rows in zip(sources, chosen)])
    rank = np.concatenate([np.full(len(rows), source.rank) for source, rows in zip(sources, chosen)])
    among = np.concatenate(
        [rows if source.order is None else source.order[rows] for source, rows in zip(sources, chosen)]
    )
    encoded: list[bytes] = []
    for source, rows in zip(sources, chosen):
        encoded += source.encode(rows)
    order = np.lexsort((among, rank, time))
    return time[order].tolist(), [encoded[i] for i in order.tolist()]
