"""Threads that let data lie in sockets which they alone read: they were in something else.

Weighed by time and not by segments: a connection whose reader stands still gets no more data, because whoever sends there waits,
too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.blame.kinds import user_method
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.measures.socket_reads import SocketReads
from poolscope.naming import is_user

HELD_NS = int(200 * NS_PER_MS)
"""From which time on data lay in its socket for something that its reader did: a busy moment is shorter."""
ALONE = 0.8
"""Of the time that data lay in the connections that a thread reads: if others read the rest, it is not this thread that was
missing."""


@dataclass(frozen=True)
class Seen:
    """Where stacks of a thread were found, by waits, snapshots and samples."""

    method: str | None
    """The application's method that it was in most often; None: in none."""
    found: int
    """How often it was in that."""
    looks: int
    """How often its stack was seen at all."""
    call: str | None
    """The framework's method that it was in most often where none is the application's; None: it is not known."""


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
    """The longest held first; none where sockets were not recorded. `reads`: of this capture."""
    long = (reads.wait >= HELD_NS) & (reads.reader >= 0)
    begin, until = reads.arrived[long], (reads.arrived + reads.wait)[long]
    reader, of = reads.reader[long], reads.socket[long]
    found = []
    for thread in np.unique(reader):
        own = reader == thread
        there = np.isin(of, of[own])
        if float((until - begin)[own].sum()) < ALONE * float((until - begin)[there].sum()):
            continue
        during, longest = _union(begin[own], until[own]), int((until - begin)[own].max())
        seen = seen_in(capture, attribution, int(thread), during)
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


def seen_in(capture: DecodedCapture, attribution: Attribution, tid: int, during: tuple[IntArray, IntArray]) -> Seen:
    """`during`: begins and ends of stretches that follow each other, ns from the start of the window."""
    names, stacks = stack_names(capture, attribution), []
    for table in ("waits", "snapshots", "cpu_samples"):
        if not capture.has(table):
            continue
        rows = capture.table(table)
        rows = rows[rows["tid"].to_numpy() == tid]
        begin = rows["start" if table == "waits" else "time"].to_numpy() - capture.window[0]
        end = rows["end"].to_numpy() - capture.window[0] if table == "waits" else begin
        at = np.searchsorted(during[1], begin, side="left")
        inside = (at < len(during[0])) & (np.maximum(end, begin) >= during[0][np.minimum(at, len(during[0]) - 1)])
        stack = rows["stack"].to_numpy()[inside]
        stacks += stack[stack >= 0].tolist()
    own: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for stack, seen in Counter(stacks).items():
        path = names.path(int(stack))
        if (method := user_method(path)) is not None:
            (own if any(is_user(one) for one in path) else other)[method] += seen
    method, found = own.most_common(1)[0] if own else (None, 0)
    return Seen(method, found, len(stacks), other.most_common(1)[0][0] if other and not own else None)
