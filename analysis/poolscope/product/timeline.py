"""The capture over time, aggregated to the resolution of a picture: its size does not grow with the capture."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.stages import once
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import load_schema
from poolscope.contract.analysis_json import (
    LimitTotalJson,
    PoolChangeJson,
    PoolChangeTotalJson,
    SuspensionJson,
    SuspensionTotalsJson,
    TimelineJson,
    WaitsJson,
)
from poolscope.executions.segments import BLOCKED, READY, RUNNING
from poolscope.measures.cores import CoreUse, measure_core_use
from poolscope.measures.instant_limit import LIMITS, time_by_limit
from poolscope.product.causes import CAUSES, build_distribution, main_cause
from poolscope.product.worst import longest_waits

BINS = 480
"""Bins across the capture: about two pixels each on a wide screen."""
ALL_WAITS = 4_000
"""The number of items up to which every wait is drawn. Beyond it, only the longest and the shortest of each cause in
each bin."""
CHANGES_SHOWN = 400
SUSPENSIONS_SHOWN = 400
"""The most suspensions shown, longest first."""
LEAST_QUEUED = 0.01
"""A share of a bin. If items were queued for less, no limit is named: each item of a healthy pool is queued for a
moment."""

LIMIT_WORDS = {
    "suspended": "the runtime was suspended",
    "cores": "a worker had no core, or items ran on all of them",
    "cap": "the maximum of threads was reached",
    "gate": "the goal was reached and nothing moved: the pool waited for its gate to add a thread",
    "goal": "the goal was reached: every thread that the pool allowed held an item",
    "none": "the pool had room: a thread only had to start",
}

REASONS = {
    "Warmup": "hill climbing, warming up",
    "Initializing": "hill climbing, first sample",
    "RandomMove": "hill climbing, random move",
    "ClimbingMove": "hill climbing, following the throughput",
    "ChangePoint": "hill climbing, change point",
    "Stabilizing": "hill climbing, stabilising",
    "Starvation": "starvation: no item finished for a while, one thread added",
    "ThreadTimedOut": "a thread had nothing to do for long (20 s by default) and ended",
    "CooperativeBlocking": "the pool replaced threads blocked in Task waits",
}
"""The runtime's reasons for a change of the goal, in words."""


def build_timeline(capture: DecodedCapture, attribution: Attribution) -> TimelineJson:
    """Returns counts over time (means per bin; for the queue, the maximum), every change of the goal, and waits by
    cause.

    Times are seconds from the start of the window, waits ms. None means unknown under this kernel tier.
    """
    edges = _edges(capture)
    pool = attribution.pool
    state, blocked = attribution.segments.count, attribution.segments.counted(BLOCKED).mean(edges)
    ready = state(READY).mean(edges)
    use = core_use(capture)
    suspensions, suspension_totals = _suspensions(attribution.suspension, edges)
    waits, distribution = _waits(attribution, edges), build_distribution(attribution)
    limit, limit_totals = limits(capture, attribution)  # last: it may be computed meanwhile
    return {
        "seconds": _rounded(edges[:-1] / NS_PER_S, 4),
        "bin_seconds": round(float(edges[1]) / NS_PER_S, 6),
        "queue": _rounded(pool.queued.maximum(edges), 3),
        "goal": _rounded(pool.goal.mean(edges), 3),
        "busy": _rounded(pool.busy.mean(edges), 3),
        "threads": _rounded(worker_threads(capture).mean(edges), 3),
        "running": _rounded(state(RUNNING).mean(edges), 3),
        "ready": _rounded(ready, 3),
        "blocked": _rounded(blocked, 3),
        "suspended": _rounded(attribution.suspension.mean(edges), 3),
        "cpu_target": None if use is None else _rounded(use.target, 3),
        "cpu_others": None if use is None or use.others is None else _rounded(use.others, 3),
        "limit": limit,
        "limit_totals": limit_totals,
        "suspensions": suspensions,
        "suspension_totals": suspension_totals,
        "pool_changes": _pool_changes(capture),
        "pool_change_totals": _pool_change_totals(capture),
        "waits": waits,
        "distribution": distribution,
    }


@once
def core_use(capture: DecodedCapture) -> CoreUse | None:
    """Returns the cores in use per bin, as `measure_core_use`. Computed while the thread states are in memory."""
    return measure_core_use(capture, _edges(capture))


def _edges(capture: DecodedCapture) -> FloatArray:
    start, stop = capture.window
    return np.linspace(0.0, float(max(stop - start, 1)), BINS + 1)


@once
def limits(
    capture: DecodedCapture, attribution: Attribution
) -> tuple[list[int | None] | None, list[LimitTotalJson] | None]:
    """Returns, per bin, the limit that held longest while items were queued, as an index into the totals; and how long
    each limit held."""
    edges = _edges(capture)
    time = time_by_limit(capture, attribution, edges)
    if time is None:
        return None, None
    queued, held = time.sum(axis=1), time.sum(axis=0)
    ever = np.flatnonzero(held > 0)
    longest = np.argmax(time[:, ever], axis=1) if len(ever) else np.zeros(BINS, dtype=np.int64)
    shown = (queued > 0) & (queued >= LEAST_QUEUED * np.diff(edges))
    totals: list[LimitTotalJson] = [
        {
            "limit": LIMITS[i],
            "words": LIMIT_WORDS[LIMITS[i]],
            "seconds": round(float(held[i]) / NS_PER_S, 6),
            "share": round(float(held[i] / held.sum()), 6),
        }
        for i in ever
    ]
    return [int(which) if keep else None for which, keep in zip(longest, shown)], totals


def _suspensions(suspension: Steps, edges: FloatArray) -> tuple[list[SuspensionJson], SuspensionTotalsJson]:
    """Returns the longest suspensions of the runtime in order of time, and totals over all of them."""
    on = np.pad(suspension.value > 0, 1)
    time = np.append(suspension.time, edges[-1])
    # Suspensions that follow each other without a gap are one.
    begin, end = time[np.flatnonzero(on[1:] & ~on[:-1])], time[np.flatnonzero(on[:-1] & ~on[1:])]
    length = end - begin
    kept = np.sort(np.argsort(-length, kind="stable")[:SUSPENSIONS_SHOWN])
    longest: list[SuspensionJson] = [
        {"seconds": round(float(b) / NS_PER_S, 6), "ms": round(float(d) / NS_PER_MS, 6)}
        for b, d in zip(begin[kept], length[kept])
    ]
    return longest, {
        "times": len(length),
        "ms": round(float(length.sum()) / NS_PER_MS, 6),
        "longest_ms": round(float(length.max(initial=0.0)) / NS_PER_MS, 6),
    }


def worker_threads(capture: DecodedCapture) -> Steps:
    """Returns how many worker threads exist, over ns from the start of the window."""
    start, stop = capture.window
    workers = capture.table("workers")
    begin = np.clip(workers["start"].to_numpy(), start, stop) - start
    end = np.clip(np.where(workers["stop"] < 0, stop, workers["stop"]), start, stop) - start
    return Steps.count(begin, end)


def _pool_changes(capture: DecodedCapture) -> list[PoolChangeJson]:
    start = capture.window[0]
    changes = capture.table("pool_changes")
    names = load_schema().tables["pool_changes"].column("reason").values
    # Hill climbing can move the goal at every sample. Beyond what a picture shows, every k-th change is kept.
    keep = changes.iloc[:: max(1, -(-len(changes) // CHANGES_SHOWN))]
    return [
        {
            "seconds": round((int(time) - start) / NS_PER_S, 4),
            "goal": int(goal),
            "reason": names[int(reason)],
            "words": REASONS[names[int(reason)]],
        }
        for time, goal, reason in zip(keep["time"], keep["goal"], keep["reason"])
    ]


def _pool_change_totals(capture: DecodedCapture) -> list[PoolChangeTotalJson]:
    """Returns how often each reason changed the goal, most often first. Counts every change, including those no picture
    shows."""
    start = capture.window[0]
    names = load_schema().tables["pool_changes"].column("reason").values
    changes = capture.table("pool_changes").groupby("reason")["time"]
    totals = changes.agg(times="size", first="min", last="max").sort_values("times", ascending=False, kind="stable")
    return [
        {
            "reason": names[int(row.Index)],
            "words": REASONS[names[int(row.Index)]],
            "times": int(row.times),
            "first_s": round((int(row.first) - start) / NS_PER_S, 4),
            "last_s": round((int(row.last) - start) / NS_PER_S, 4),
        }
        for row in totals.itertuples()
    ]


def _waits(attribution: Attribution, edges: FloatArray) -> list[WaitsJson]:
    """Returns every wait by cause. If there are too many, returns the longest and the shortest of each bin of enqueue
    time, and the worst items, which the page shows elsewhere."""
    items, cause = attribution.items, main_cause(attribution)
    bin_of = np.clip(np.searchsorted(edges, items.enqueue, side="right") - 1, 0, BINS - 1).astype(np.int16)
    wait, worst = items.wait, longest_waits(attribution)
    started = items.started
    ended = started & ~items.running_at_end
    shown: list[WaitsJson] = []
    for number, name in enumerate(CAUSES):
        chosen = np.flatnonzero(cause == number)
        if len(chosen) == 0:
            continue
        kept = chosen
        if items.count > ALL_WAITS:
            kept = np.union1d(_extremes(chosen, bin_of, wait), np.intersect1d(chosen, worst))
        shown.append(
            {
                "cause": name,
                "items": len(chosen),
                "seconds": _rounded(items.enqueue[kept] / NS_PER_S, 4),
                "wait_ms": _rounded(wait[kept] / NS_PER_MS, 4),
                "item": items.row[kept].tolist(),
                "at_least": items.censored[kept].tolist(),
                "start_s": _where(items.dequeue[kept] / NS_PER_S, started[kept]),
                "end_s": _where(items.end[kept] / NS_PER_S, ended[kept]),
                "worker_tid": [int(tid) if tid >= 0 else None for tid in items.worker[kept]],
            }
        )
    return shown


def _extremes(chosen: IntArray, bin_of: AnyArray, wait: IntArray) -> IntArray:
    """Returns, for each bin, the item with the shortest wait (the first of equals) and the one with the longest (the
    last)."""
    order = chosen[np.argsort(bin_of[chosen], kind="stable")]  # NumPy sorts 16-bit numbers by radix
    bins, waits = bin_of[order], wait[order]
    begins = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    size = np.diff(np.append(begins, len(order)))
    shortest = np.flatnonzero(waits == np.repeat(np.minimum.reduceat(waits, begins), size))
    longest = np.flatnonzero(waits == np.repeat(np.maximum.reduceat(waits, begins), size))
    first = np.append(True, bins[shortest][1:] != bins[shortest][:-1])
    last = np.append(bins[longest][1:] != bins[longest][:-1], True)
    return np.concatenate((order[shortest[first]], order[longest[last]]))


def _rounded(values: FloatArray, digits: int) -> list[float]:
    return [float(v) for v in np.round(values, digits)]


def _where(seconds: FloatArray, known: BoolArray) -> list[float | None]:
    return [round(float(s), 4) if k else None for s, k in zip(seconds, known)]
