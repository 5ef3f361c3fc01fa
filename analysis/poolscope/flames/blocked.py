"""Blocked thread time while items waited, as a tree: whole stacks, and below each how it waited."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.units import MS_PER_S
from poolscope.blame import Blame
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import BlockedFlameJson
from poolscope.flames.tree import DIGITS, NO_STACK, FlameFrame, FlameTree, stack_paths


@dataclass(frozen=True)
class BlockedFlame:
    """The same time as the rows of Blame, in ms of thread time."""

    total: float
    measured: float
    """Part of total: not estimated from snapshots of other blocks."""
    no_stack: float
    """Of total."""
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

    What blame estimates of a row (blame/sampling.py) is divided among the row's stacks in proportion to their own time:
    the estimate is one of the method and kind, not of the callers.
    """
    if blame is None:
        return None
    stacks = sorted({stack for row in blame.rows for stack in row.stacks})
    paths = {
        stack: [FlameFrame.of(frame) for frame, _ in path]
        for stack, path in zip(stacks, stack_paths(capture, stacks), strict=True)
    }
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
