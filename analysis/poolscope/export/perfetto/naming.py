"""What slices are called: items by the method that they run, blocked time by what it waited for."""

from __future__ import annotations

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import IntArray
from poolscope.blame.evidence import name_stretches
from poolscope.blame.kinds import KIND_WORDS, kind_of, user_method
from poolscope.blame.stacks import StackNames, stack_names
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import BLOCKED, READY, Executions
from poolscope.product.item_names import item_methods

WAITING = "waiting for a core"
SUSPENDED = "blocked: runtime suspended"
BLOCKED_SOMEWHERE = "blocked"
MOSTLY = 0.5
"""For a blocked stretch: from this share on it is called after the suspension that it lay in."""


def item_names(capture: DecodedCapture, executions: Executions) -> tuple[list[str], IntArray]:
    """Returns method names, and for each execution the index of its own, -1 if unknown (product/item_names.py)."""
    methods, code = item_methods(capture, executions)
    return [str(method.method) for method in methods], code


def segment_names(
    capture: DecodedCapture, attribution: Attribution, executions: Executions
) -> tuple[list[str], IntArray]:
    """Names, and for each segment the index of its own; -1: it was running, and has no slice."""
    segments = attribution.segments
    names: dict[str, int] = {WAITING: 0, SUSPENDED: 1, BLOCKED_SOMEWHERE: 2}
    code = np.where(segments.state == BLOCKED, 2, np.where(segments.state == READY, 0, -1))
    blocked = np.flatnonzero(segments.state == BLOCKED)
    if len(blocked) == 0:
        return list(names), code
    suspended = attribution.by_suspension[blocked]
    duration = segments.duration[blocked]
    if all(capture.has(table) for table in ("stacks", "frames", "waits")):
        tid = executions.worker[segments.item[blocked]]
        told = name_stretches(capture, tid, segments.start[blocked], segments.end[blocked], duration, suspended)
        paths = stack_names(capture, attribution)
        pairs, which = np.unique(np.stack([told.stack, told.lock]), axis=1, return_inverse=True)
        called = [_blocked_name(paths, stack, bool(lock)) for stack, lock in pairs.T.tolist()]
        codes = np.array([names.setdefault(name, len(names)) for name in called], dtype=np.int64)
        code[blocked] = codes[which.ravel()]
    code[blocked[suspended > MOSTLY * duration]] = 1
    return list(names), code


def _blocked_name(paths: StackNames, stack: int, lock: bool) -> str:
    path = paths.path(stack) if stack >= 0 else []
    kind = kind_of(path, lock)
    method = user_method(path)
    words = BLOCKED_SOMEWHERE if kind == "unknown" else f"blocked: {KIND_WORDS[kind]}"
    return words if method is None else f"{words} in {method}"
