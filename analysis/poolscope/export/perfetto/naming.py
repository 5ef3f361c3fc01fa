"""What slices are called: items by the method that they run, blocked time by what it waited for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolscope.arrays import IntArray
from poolscope.attribution import Attribution
from poolscope.attribution.execution import BLOCKED, READY, Executions
from poolscope.attribution.suspension import blocked_by_suspension
from poolscope.attribution.wakers import running_item
from poolscope.blame.evidence import name_stretches
from poolscope.blame.kinds import KIND_WORDS, is_user, kind_of, user_method
from poolscope.blame.stacks import StackNames
from poolscope.capture import Capture

STACKS = (("waits", "start"), ("snapshots", "time"), ("cpu_samples", "time"))
"""Tables whose rows have a thread, a stack, and the time at which it was taken."""
WAITING = "waiting for a core"
SUSPENDED = "blocked: runtime suspended"
BLOCKED_SOMEWHERE = "blocked"
MOSTLY = 0.5
"""Of a blocked stretch: from this share on it is called after the suspension that it lay in."""


def item_methods(capture: Capture, executions: Executions) -> tuple[list[str], IntArray]:
    """Method names, and for each execution the index of its own, -1: no stack was taken while it ran.

    An item's method is the outermost one of the user's code on its first stack: what is further out belongs to the pool.
    """
    found = np.full(executions.count, -1, dtype=np.int64)
    stack, item = _stacks(capture, executions)
    if len(stack) == 0:
        return [], found
    names = StackNames(capture)
    stacks, which = np.unique(stack, return_inverse=True)
    methods = [outermost_user(names.path(s)) for s in stacks.tolist()]
    known = {name: i for i, name in enumerate(dict.fromkeys(m for m in methods if m is not None))}
    code = np.array([-1 if m is None else known[m] for m in methods], dtype=np.int64)[which]
    named = np.flatnonzero(code >= 0)
    # In order of time, so the last that is written to an item, read backwards, is its first.
    found[item[named[::-1]]] = code[named[::-1]]
    return list(known), found


def outermost_user(path: Sequence[str | None]) -> str | None:
    """`path` is leaf first. None: it holds no code but the runtime's and its libraries'."""
    return next((m for m in reversed(path) if is_user(m)), None)


def segment_names(capture: Capture, attribution: Attribution, executions: Executions) -> tuple[list[str], IntArray]:
    """Names, and for each segment the index of its own; -1: it was running, and has no slice."""
    segments = attribution.segments
    names: dict[str, int] = {WAITING: 0, SUSPENDED: 1, BLOCKED_SOMEWHERE: 2}
    code = np.where(segments.state == BLOCKED, 2, np.where(segments.state == READY, 0, -1))
    blocked = np.flatnonzero(segments.state == BLOCKED)
    if len(blocked) == 0:
        return list(names), code
    suspended = blocked_by_suspension(capture, executions, segments, attribution.suspension)[blocked]
    duration = segments.duration[blocked]
    if all(capture.has(table) for table in ("stacks", "frames", "waits")):
        tid = executions.worker[segments.item[blocked]]
        told = name_stretches(capture, tid, segments.start[blocked], segments.end[blocked], duration, suspended)
        paths = StackNames(capture)
        pairs, which = np.unique(np.stack([told.stack, told.lock]), axis=1, return_inverse=True)
        called = [_blocked_name(paths, stack, bool(lock)) for stack, lock in pairs.T.tolist()]
        codes = np.array([names.setdefault(name, len(names)) for name in called], dtype=np.int64)
        code[blocked] = codes[which.ravel()]
    code[blocked[suspended > MOSTLY * duration]] = 1
    return list(names), code


def _blocked_name(paths: StackNames, stack: int, lock: bool) -> str:
    path = paths.path(stack) if stack >= 0 else []
    kind = "lock" if lock else kind_of(path)
    method = user_method(path)
    words = BLOCKED_SOMEWHERE if kind == "unknown" else f"blocked: {KIND_WORDS[kind]}"
    return words if method is None else f"{words} in {method}"


def _stacks(capture: Capture, executions: Executions) -> tuple[IntArray, IntArray]:
    """Stacks taken while an item ran, by time: stacks.id and execution."""
    if not (capture.has("stacks") and capture.has("frames")):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    base = capture.window[0]
    stack, item, time = [], [], []
    for table, column in STACKS:
        if not capture.has(table):
            continue
        rows = capture.table(table)
        rows = rows[rows["stack"].to_numpy() >= 0]
        at = rows[column].to_numpy() - base
        ran = running_item(executions, rows["tid"].to_numpy().astype(np.int64), at)
        inside = ran >= 0
        stack.append(rows["stack"].to_numpy().astype(np.int64)[inside])
        item.append(ran[inside])
        time.append(at[inside])
    if not stack:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.argsort(np.concatenate(time), kind="stable")
    return np.concatenate(stack)[order], np.concatenate(item)[order]
