"""Threads that let data lie in sockets that they read: they were in something else.

Weighed by time and not by segments: a connection whose reader stands still gets no more data, because the sender waits,
too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.evidence.seen import Seen, seen_in
from poolscope.measures.socket_reads import READ, SocketReads

HELD_NS = int(200 * NS_PER_MS)
"""From which time on data lay in its socket for something that its reader did: a busy moment is shorter."""
NO_READ = 0.8
"""Share of the time that data lay there in which its reader read nothing at all, for HELD_NS at a stretch: a thread that goes on
reading elsewhere is not held."""


@dataclass(frozen=True)
class HeldReader:
    """One thread. Times are ns from the start of the window."""

    tid: int
    name: str | None
    connections: int
    start: IntArray
    """When data lay there that it read later, each stretch once; shape (stretches,)."""
    end: IntArray
    longest: int
    """The longest that any of it lay there, ns."""
    seen: Seen
    """Meanwhile."""

    @property
    def during(self) -> Steps:
        """1 while data lay there, else 0."""
        return Steps.count(self.start, self.end)

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())


def find_held_readers(capture: DecodedCapture, attribution: Attribution, reads: SocketReads) -> list[HeldReader]:
    """Returns the longest held first; none if sockets were not recorded. `reads`: of this capture."""
    long = (reads.wait >= HELD_NS) & (reads.reader >= 0)
    begin, until = reads.arrived[long], (reads.arrived + reads.wait)[long]
    reader, of = reads.reader[long], reads.socket[long]
    table = capture.table("socket_io")
    table = table[table["direction"].to_numpy() == READ]
    found = []
    # Any worker may read in a worker's place: data that lies there is the pool's wait.
    for thread in np.setdiff1d(reader, capture.table("workers")["tid"].to_numpy()):
        times = np.sort(table["time"].to_numpy()[table["tid"].to_numpy() == thread]) - capture.window[0]
        times = np.concatenate((np.array([0]), times, np.array([capture.window[1] - capture.window[0]])))
        pause = np.flatnonzero(np.diff(times) >= HELD_NS)
        idle = Steps.count(times[pause], times[pause + 1]).integral(begin, until)
        own = (reader == thread) & (idle >= NO_READ * (until - begin))
        if not own.any():
            continue
        during, longest = _union(begin[own], until[own]), int((until - begin)[own].max())
        seen = seen_in(capture, attribution, np.full(len(during[0]), thread), *during)
        names = capture.table("threads")
        name = names["name"][names["tid"].to_numpy() == thread]
        known = str(name.iloc[0]) if len(name) and isinstance(name.iloc[0], str) else None
        found.append(HeldReader(int(thread), known, len(np.unique(of[own])), *during, longest, seen))
    return sorted(found, key=lambda held: -held.total)


def _union(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    new = np.append(True, begin[1:] > end[:-1])
    return begin[new], end[np.append(np.flatnonzero(new)[1:] - 1, len(end) - 1)]
