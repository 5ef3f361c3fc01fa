"""Flame graphs of time off the core: blocked while items waited, and ready to run without a core.

Blocked time is drawn by whole stacks, with the kind of wait below each. Ready time is the time of workers that held an
item and could have run if there had been a core, by the code that they were about to run.

No event shows the stack of a thread that loses its core. The nearest CPU sample of the same thread within the same item
is used instead. This is an estimate, good if the item does one thing for longer than the sampling interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.series import AT_ONCE
from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.blame import Blame
from poolscope.blame.evidence import waiting_items
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import BlockedFlameJson, ReadyFlameJson
from poolscope.executions.segments import READY, Executions
from poolscope.flames.tree import DIGITS, NO_STACK, FlameFrame, FlameTree, flame_paths


@dataclass(frozen=True)
class BlockedFlame:
    """The same time as in the rows of Blame, in ms of thread time."""

    total: float
    measured: float
    """The part of total that was measured, not estimated from snapshots of other blocks."""
    no_stack: float
    """The part of total without a stack."""
    tree: FlameTree
    """Weights: total, measured."""

    def to_json(self) -> BlockedFlameJson:
        kept = self.tree.kept()
        return {
            "total": round(self.total, DIGITS),
            "measured": round(self.measured, DIGITS),
            "no_stack": round(self.no_stack, DIGITS),
            "least": kept.least,
            "frames": kept.frames,
            "nodes": {
                "parent": kept.parent,
                "frame": kept.frame,
                "self": kept.own,
                "total": kept.total["total"],
                "measured": kept.total["measured"],
            },
        }


def blocked_flame(capture: DecodedCapture, blame: Blame | None) -> BlockedFlame | None:
    """Builds the flame graph of blocked time. Returns None if there is no blame.

    The estimated time of a row of blame (blame/sampling.py) is divided among the row's stacks in proportion to their
    own time, because blame estimates by method and kind, not by callers.
    """
    if blame is None:
        return None
    stacks = sorted({stack for row in blame.rows for stack in row.stacks})
    paths = flame_paths(capture, stacks)
    tree = FlameTree("total", "measured")
    no_stack = 0.0
    for row in blame.rows:
        leaf = FlameFrame(None, None, "wait", row.kind)
        known = sum(row.stacks.values())
        rest = row.thread_s - known
        if row.stacks and known > 0:
            rest -= row.estimated_s
            for stack, seconds in row.stacks.items():
                estimated = row.estimated_s * seconds / known
                tree.add([*paths[stack], leaf], (seconds + estimated) * MS_PER_S, seconds * MS_PER_S)
        if rest > 1e-9:
            tree.add([NO_STACK, leaf], rest * MS_PER_S, rest * MS_PER_S)
            no_stack += rest * MS_PER_S
    return BlockedFlame(
        total=blame.total_s * MS_PER_S,
        measured=(blame.total_s - blame.estimated_s) * MS_PER_S,
        no_stack=no_stack,
        tree=tree,
    )


@dataclass(frozen=True)
class ReadyFlame:
    """Ready time inside executions, in ms of thread time."""

    total: float
    waiting: float
    """The part of total while items waited in the queue."""
    before: float
    """The part of total that has the stack of the last sample before it."""
    after: float
    """The part of total without an earlier sample, which has the stack of the first sample after it."""
    no_sample: float
    """The part of total whose item has no sample with a stack on this thread."""
    stretches: int
    stretches_without: int
    """The number of stretches without a sample."""
    distance: float | None
    """The median distance of a stretch from its sample, ms, weighted by ready time. None without samples."""
    tree: FlameTree
    """Weights: total, waiting."""

    def to_json(self) -> ReadyFlameJson:
        kept = self.tree.kept()
        return {
            "total": round(self.total, DIGITS),
            "waiting": round(self.waiting, DIGITS),
            "before": round(self.before, DIGITS),
            "after": round(self.after, DIGITS),
            "no_sample": round(self.no_sample, DIGITS),
            "stretches": self.stretches,
            "stretches_without": self.stretches_without,
            "distance": None if self.distance is None else round(self.distance, DIGITS),
            "least": kept.least,
            "frames": kept.frames,
            "nodes": {
                "parent": kept.parent,
                "frame": kept.frame,
                "self": kept.own,
                "total": kept.total["total"],
                "waiting": kept.total["waiting"],
            },
        }


def ready_flame(capture: DecodedCapture, attribution: Attribution) -> ReadyFlame | None:
    """Builds the flame graph of ready time. Returns None without a kernel stream, without CPU samples, or if no table
    names their stacks."""
    if capture.kernel_tier == "none" or not capture.has("cpu_samples", "stacks", "frames"):
        return None
    executions = attribution.executions
    segments = attribution.segments
    ready = np.flatnonzero(segments.state == READY)
    start, end, item = segments.start[ready], segments.end[ready], segments.item[ready]
    del ready
    stack, before, distance = _nearest(capture, executions, item, start, end)
    del item
    held = (end - start) / NS_PER_MS
    waiting = waiting_items(attribution).integral(start, end) / NS_PER_MS
    del start, end

    unique, which = np.unique(stack, return_inverse=True)
    sums = zip(
        unique.tolist(),
        np.bincount(which, held, len(unique)).tolist(),
        np.bincount(which, waiting, len(unique)).tolist(),
        strict=True,
    )
    del which
    paths = flame_paths(capture, unique.tolist())
    tree = FlameTree("total", "waiting")
    for one, total, queued in sums:
        tree.add(paths.get(one, [NO_STACK]), total, queued)
    known = stack >= 0
    return ReadyFlame(
        total=float(held.sum()),
        waiting=float(waiting.sum()),
        before=float(held[known & before].sum()),
        after=float(held[known & ~before].sum()),
        no_sample=float(held[~known].sum()),
        stretches=len(held),
        stretches_without=int((~known).sum()),
        distance=_median(distance[known] / NS_PER_MS, held[known]),
        tree=tree,
    )


def _nearest(
    capture: DecodedCapture, executions: Executions, item: IntArray, start: IntArray, end: IntArray
) -> tuple[AnyArray, BoolArray, IntArray]:
    """Returns, for each stretch, the stack of its sample (-1 if none), whether the sample is before it, and the
    distance in ns."""
    samples = capture.table("cpu_samples")
    own = samples["pid"].to_numpy() == int(capture.manifest["target"]["pid"])
    own &= samples["stack"].to_numpy() >= 0
    time = samples["time"].to_numpy()[own] - capture.window[0]
    tid = samples["tid"].to_numpy()[own].astype(np.int64)
    stacks = samples["stack"].to_numpy()[own]
    stack = np.full(len(start), -1, dtype=np.int32)
    distance = np.zeros(len(start), dtype=np.int64)
    before = np.zeros(len(start), dtype=bool)
    if len(time) == 0:
        return stack, before, distance
    for first in range(0, len(start), AT_ONCE):
        piece = np.arange(first, min(first + AT_ONCE, len(start)))
        of, since = item[piece], start[piece]
        at, inside = latest(tid, time, executions.worker[of], since)
        inside &= time[at] >= executions.start[of]
        before[piece] = inside
        found, at = piece[inside], at[inside]
        stack[found], distance[found] = stacks[at], since[inside] - time[at]
        # With time negated, the latest sample before a moment is the first one after the end.
        rest = piece[~inside]
        at, same = latest(tid, -time, executions.worker[item[rest]], -end[rest])
        same &= time[at] < executions.end[item[rest]]
        after, at = rest[same], at[same]
        stack[after], distance[after] = stacks[at], time[at] - end[after]
    return stack, before, distance


def _median(values: FloatArray, weights: FloatArray) -> float | None:
    """Returns the value up to which half of the weight lies."""
    if weights.sum() <= 0:
        return None
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2)])
