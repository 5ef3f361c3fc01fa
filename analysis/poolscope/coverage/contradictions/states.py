"""States of the target's threads against the context switches and wake-ups that they were made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.searches import rows_before, told
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.coverage.contradictions.contradiction import Contradiction
from poolscope.coverage.contradictions.running import TIERS

RUNNING = enum("thread_states", "state", "running")
READY = enum("thread_states", "state", "ready")
BLOCKED = enum("thread_states", "state", "blocked")
TIES = 4
"""Events of other threads at the same nanosecond that are looked past."""


def check(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields where the states of one thread leave a gap, follow each other as no thread's do, or begin without a switch
    or a wake-up."""
    states, switches, wakeups = (capture.stored(name) for name in ("thread_states", "switches", "wakeups"))
    threads = capture.stored("threads")
    if capture.kernel_tier not in TIERS or states is None or switches is None or wakeups is None or threads is None:
        return
    if not len(switches):
        return
    pid = int(capture.manifest["target"]["pid"])
    own = np.isin(states["tid"].to_numpy(), threads["tid"].to_numpy()[threads["pid"].to_numpy() == pid])
    tid, start, end, state = (states[name].to_numpy()[own] for name in ("tid", "start", "end", "state"))
    if not len(tid):
        return
    follows = tid[1:] == tid[:-1]
    gap = follows & (start[1:] != end[:-1])
    odd = follows & ((state[1:] == state[:-1]) | ((state[:-1] == READY) & (state[1:] == BLOCKED)))
    odd |= follows & (state[:-1] == BLOCKED) & (state[1:] == BLOCKED)
    yield Contradiction(
        "thread_states", "states of a thread do not begin at the end of the previous state", int(gap.sum()), len(tid)
    )
    yield Contradiction(
        "thread_states", "states of a thread cannot follow the previous state", int(odd.sum()), len(tid)
    )
    del end, follows, gap, odd  # as long as the capture
    began = start != start.min()
    time = switches["time"].to_numpy()
    came, left = switches["next_tid"].to_numpy(), switches["prev_tid"].to_numpy()
    runs = began & (state == RUNNING)
    wrong = ~_told(time, came, start[runs], tid[runs])
    yield Contradiction(
        "thread_states, switches",
        "stretches on a core begin without a context switch",
        int(wrong.sum()),
        int(runs.sum()),
    )
    waits = began & (state == READY)
    woken = _told(wakeups["time"].to_numpy(), wakeups["wakee_tid"].to_numpy(), start[waits], tid[waits])
    wrong = ~(woken | _told(time, left, start[waits], tid[waits]))
    yield Contradiction(
        "thread_states, wakeups",
        "waits for a core begin without a wake-up or a preemption",
        int(wrong.sum()),
        int(waits.sum()),
    )


def _told(time: IntArray, of: IntArray, at: IntArray, tid: IntArray) -> BoolArray:
    """Returns whether some row (time, of), in order of time, is (at, tid), for each of these."""
    if (found := told(time, of, at, tid, TIES)) is not None:
        return found
    found = np.zeros(len(at), dtype=bool)
    if not len(time):
        return found
    first = rows_before(time, at)
    rest = np.arange(len(at))
    for step in range(TIES):
        row = np.minimum(first[rest] + step, len(time) - 1)
        same = (time[row] == at[rest]) & (of[row] == tid[rest])
        found[rest[same]] = True
        rest = rest[~same]
    return found
