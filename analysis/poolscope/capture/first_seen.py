"""Corrects the assumed states of threads before their first event: the decoder assumes them, and this removes impossible ones.

A thread whose first event is that it leaves a CPU was running, one that comes to a CPU without a wake-up was ready; since
when, no event shows, and the table says: since the recording began. Where a thread's birth was not reported (some tasks fire no
tracepoints, docs/event-semantics.md) it was born since, and the table has threads that run side by side for seconds on
cores on which others are seen.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture.schema import enum

LONGEST_NS = 100 * NS_PER_MS
"""States that were assumed for less are left as they are: some time slices, or one period of a CPU quota, in which a
thread is really ready that was so when the recording began."""
RUNNING = enum("thread_states", "state", "running")
READY = enum("thread_states", "state", "ready")


def has_doubtful(states: pd.DataFrame) -> bool:
    """Returns whether a thread is said to have run, or to have been ready, for long since the recording began."""
    return bool(len(_doubtful(states)))


def without_impossible(states: pd.DataFrame, switches: pd.DataFrame) -> pd.DataFrame:
    """Returns `states` in which no long assumed state begins before the last switch before its end on the CPU that
    ended it: another thread came to that CPU then. Later records of the thread are not changed."""
    rows = _doubtful(states)
    if not len(rows):
        return states
    time, cpu = switches["time"].to_numpy(), switches["cpu"].to_numpy()
    left, came = switches["prev_tid"].to_numpy(), switches["next_tid"].to_numpy()
    switches_of = [np.flatnonzero(cpu == c) for c in np.unique(cpu)]
    start = states["start"].to_numpy().copy()
    end, tid, state = states["end"].to_numpy(), states["tid"].to_numpy(), states["state"].to_numpy()
    for row in rows:
        who = left if state[row] == RUNNING else came
        for own in switches_of:
            at = int(np.searchsorted(time[own], end[row]))
            if at < len(own) and time[own[at]] == end[row] and who[own[at]] == tid[row]:
                start[row] = max(start[row], time[own[at - 1]]) if at else start[row]
    return states.assign(start=start)


def _doubtful(states: pd.DataFrame) -> IntArray:
    if states.empty:
        return np.empty(0, dtype=np.int64)
    start, state = states["start"].to_numpy(), states["state"].to_numpy()
    first = start == start.min()
    first &= np.isin(state, (RUNNING, READY)) & (states["end"].to_numpy() - start > LONGEST_NS)
    return np.flatnonzero(first)
