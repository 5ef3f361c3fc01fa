"""Which thread ended a blocked stretch, as the scheduler's wake-ups tell it."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum


def ended_by(capture: DecodedCapture, tid: IntArray, end: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns who ended each block of the thread `tid` up to `end`, ns from the start of the window: the id of the
    waking thread, and whether an event shows it; -1 if it was an interrupt, such as a timer's.

    A blocked state ends at the event that made its thread runnable, so the times are equal. The table `wakeups` must be
    there.
    """
    rows = capture.table("wakeups")
    # `wakeup` on another CPU names the idle task.
    named = rows["event"].to_numpy() != enum("wakeups", "event", "wakeup")
    chosen = np.flatnonzero(named & np.isin(rows["wakee_tid"].to_numpy(), np.unique(tid)))
    if len(chosen) == 0:
        return np.full(len(tid), -1, dtype=np.int64), np.zeros(len(tid), dtype=bool)
    time = rows["time"].to_numpy()[chosen] - capture.window[0]
    at, found = latest(rows["wakee_tid"].to_numpy()[chosen].astype(np.int64), time, tid, end)
    return rows["waker_tid"].to_numpy()[chosen].astype(np.int64)[at], found & (time[at] == end)
