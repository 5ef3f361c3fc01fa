"""Stretches in which all threads of the target stood still at once, and suspensions of the runtime that the recording
itself may have caused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.lookup import first_after, ordered
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.manifest import of_windows

STOPPED = 0x4 | 0x8
"""Bits of prev_state: TASK_STOPPED (a signal such as SIGSTOP) and TASK_TRACED (a debugger) in include/linux/sched.h."""
SHORTEST_NS = int(10 * NS_PER_MS)
"""A debugger that examines a thread stops it for less."""
ALL = 0.9
"""The share of the process's threads alive at that moment that must be stopped. A thread in an uninterruptible wait
stops only after the wait. With fewer stopped, the others may run, as with a debugger that holds some threads."""
LEAST = 3
"""The fewest threads: a single thread under examination is no stopped process."""


@dataclass(frozen=True)
class Stops:
    """Shape (stops,); ns from the start of the window."""

    start: IntArray
    end: IntArray

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())

    @property
    def during(self) -> Steps:
        """1 while the process was stopped, otherwise 0."""
        return Steps.count(self.start, self.end)


def find_stops(capture: DecodedCapture) -> Stops:
    """Finds the times in which the process was stopped. Empty if switches were not recorded."""
    nothing = Stops(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    if not capture.has("switches") or of_windows(capture.manifest):
        return nothing
    switches, threads = capture.table("switches"), capture.table("threads")
    base, stop = capture.window
    own = threads[threads["pid"].to_numpy() == capture.manifest["target"]["pid"]]
    time, state = switches["time"].to_numpy(), switches["prev_state"].to_numpy()
    out = np.flatnonzero((state > 0) & ((state & STOPPED) != 0))
    out = out[np.isin(switches["prev_tid"].to_numpy()[out], own["tid"].to_numpy())]
    if len(out) < LEAST:
        return nothing
    tid = switches["prev_tid"].to_numpy()[out].astype(np.int64)
    entered = np.flatnonzero(np.isin(switches["next_tid"].to_numpy(), tid))
    next_tid = switches["next_tid"].to_numpy()[entered].astype(np.int64)
    order = ordered(next_tid, time[entered])
    at, some = first_after(next_tid[order], time[entered][order], tid, time[out])
    back = np.where(some, time[entered][order][at] if len(order) else stop, stop)
    stopped = Steps.count(time[out] - base, back - base)
    ended = own["end"].to_numpy()
    alive = Steps.count(np.maximum(own["start"].to_numpy() - base, 0), np.where(ended < 0, stop, ended) - base)
    still = stopped.combine(alive, lambda some, most: (some >= LEAST) & (some >= ALL * most))
    edges = np.flatnonzero(np.diff(still.value.astype(np.int8), prepend=0, append=0))
    moments = np.append(still.time, float(stop - base)).astype(np.int64)
    start, end = moments[edges[::2]], moments[np.minimum(edges[1::2], len(moments) - 1)]
    long = end - start >= SHORTEST_NS
    return Stops(start[long], end[long])


COLLECTION = 1
"""The runtime's reason for a suspension by a garbage collection; 6 prepares one."""
PREPARATION = 6
SNAPSHOTS = "snapshots"
"""The stream of snapshots."""


def suspended_by_collections(capture: DecodedCapture) -> tuple[float, float]:
    """Returns the time in suspensions for garbage collections, and in all others, ns."""
    _, stop = capture.window
    rows = capture.table("suspensions")
    length = np.where(rows["end"].to_numpy() < 0, stop, rows["end"].to_numpy()) - rows["start"].to_numpy()
    collecting = np.isin(rows["reason"].to_numpy(), (COLLECTION, PREPARATION))
    return float(length[collecting].sum()), float(length[~collecting].sum())


def is_profiled(capture: DecodedCapture) -> bool:
    """Returns whether the runtime's own profiler took samples, as in dotnet-trace's default profile. It suspends the
    runtime for each sample, with the reason "other"."""
    return bool(capture.manifest.get("made_from")) and capture.has("snapshots") and len(capture.table("snapshots")) > 0


def takes_snapshots(capture: DecodedCapture) -> bool:
    """Returns whether the recording walked stacks. Its suspensions have the reason "other", like those of any profiler,
    so they cannot be distinguished from another profiler's."""
    return is_profiled(capture) or bool((capture.table("streams")["file"].astype(str) == SNAPSHOTS).any())
