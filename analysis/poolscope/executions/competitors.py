"""Who else runs: the threads that share the cores with the target's workers."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.capacity import capacity, cores_over_time
from poolscope.executions.segments import BLOCKED, RUNNING
from poolscope.executions.unseen import unseen_competitors

COMPETITOR_BIN_NS = NS_PER_MS
"""Competitors are averaged over 1 ms, shorter than the scheduler's slice (2.8 to 4 ms): finer structure cannot matter
to processor sharing, and it bounds the number of steps by the length of the capture instead of by its switches."""


def competitors(capture: DecodedCapture, without: IntArray | None = None, *, own: bool = False) -> Steps:
    """Counts the runnable threads, of any process, that are not workers of the target; ns from the start of the window.
    `without` has ids of threads that do not count, shape (threads,). With `own`, only threads of the target count.

    They compete for the cores while they are runnable; they never make the cores fewer. Each counts by the share that
    it really took: its time on a core over what processor sharing among all runnable threads would have given it in the
    same intervals, relative to what the workers got of their own such share. Threads that yield, or that have a low
    weight, are runnable for long and take little; threads of another cgroup or session may take more than a worker can.
    Under tiers switch and schedstat, and with --scope target, other processes are inferred, and too few.
    """
    if capture.kernel_tier == "none":
        return Steps.constant(0.0)
    start, stop = capture.window
    states = capture.table("thread_states")
    not_blocked = np.flatnonzero(states["state"].to_numpy() != BLOCKED)
    state, tid = states["state"].to_numpy()[not_blocked], states["tid"].to_numpy()[not_blocked]
    begin = np.clip(states["start"].to_numpy()[not_blocked], start, stop) - start
    end = np.clip(states["end"].to_numpy()[not_blocked], start, stop) - start
    runnable = Steps.count(begin, end)
    cores, allowed = cores_over_time(capture), capacity(capture)
    share = runnable.combine(cores, _fair)

    on_core = np.where(state == RUNNING, end - begin, 0)
    fair = share.integral(begin, end)
    other = ~np.isin(tid, capture.table("workers")["tid"].to_numpy())
    # Where the workers got their share or more there is nothing to correct.
    if np.array_equal(cores.time, allowed.time) and np.array_equal(cores.value, allowed.value):
        due = float(fair[~other].sum())
    else:
        due = float(runnable.combine(allowed, _fair).integral(begin[~other], end[~other]).sum())
    got = min(1.0, float(on_core[~other].sum()) / max(due, 1.0)) or 1.0
    if without is not None:
        other &= ~np.isin(tid, without)
    if own:
        names = capture.table("threads")
        mine = names["tid"].to_numpy()[names["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
        # Other tiers see the target's threads alone.
        other &= np.isin(tid, mine) if capture.sees_other_processes else True
    begin, end = begin[other], end[other]
    threads, thread = np.unique(tid[other], return_inverse=True)
    taken = np.bincount(thread, on_core[other], len(threads)) / np.maximum(
        np.bincount(thread, fair[other], len(threads)), 1.0
    )
    weight = taken / got
    if capture.sees_other_processes:
        return Steps.count_in_bins(begin, end, thread, weight, int(COMPETITOR_BIN_NS))
    seen = Steps.count(begin, end, weight=weight[thread])
    if own:
        return seen.binned(COMPETITOR_BIN_NS)
    return seen.combine(unseen_competitors(capture), np.add).binned(COMPETITOR_BIN_NS)


def _fair(runnable: FloatArray, cores: FloatArray) -> FloatArray:
    return np.asarray(np.minimum(1.0, cores / np.maximum(runnable, 1.0)))
