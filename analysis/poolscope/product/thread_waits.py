"""Contended locks and other waits by stack, whether or not an item waited meanwhile: for captures that have no blame."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.units import NS_PER_S
from poolscope.blame.kinds import kind_of, user_method
from poolscope.blame.stacks import StackNames, stack_names
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.contract.analysis_json import ThreadWaitJson, ThreadWaitsJson
from poolscope.naming import is_user, own_index

ROWS = 20
MOST_FRAMES = 24
CONTENTION = enum("waits", "kind", "contention")

Wait = tuple[int, int, int]
"""Thread, length in ns, stack (-1: none)."""


def thread_waits_json(capture: DecodedCapture, attribution: Attribution) -> ThreadWaitsJson | None:
    """Returns the waits by method; None if the runtime reported no wait inside the window."""
    if not capture.has("waits"):
        return None
    start, stop = capture.window
    table = capture.table("waits")
    begun, end = table["start"].to_numpy(), table["end"].to_numpy()
    open_ = end < 0
    begun, end = np.maximum(begun, start), np.minimum(np.where(open_, stop, end), stop)
    inside = (begun < stop) & (end > begun)
    if not inside.any():
        return None
    length = (end - begun)[inside]
    lock = table["kind"].to_numpy()[inside] == CONTENTION
    tid, stack = table["tid"].to_numpy()[inside], table["stack"].to_numpy()[inside]
    names = stack_names(capture, attribution) if capture.has("stacks") and capture.has("frames") else None
    groups: dict[tuple[bool, str, str | None], list[Wait]] = defaultdict(list)
    told: dict[tuple[bool, int], tuple[bool, str, str | None]] = {}
    for of, ns, at, is_lock in zip(tid.tolist(), length.tolist(), stack.tolist(), lock.tolist(), strict=True):
        key = told.get((is_lock, at))
        if key is None:
            path = names.path(at) if names is not None and at >= 0 else []
            key = told[is_lock, at] = (is_lock, kind_of(path, is_lock), user_method(path))
        groups[key].append((of, ns, at))
    ranked = sorted(
        groups.items(), key=lambda g: (not g[0][0], not is_user(g[0][2]), -sum(ns for _, ns, _ in g[1]), str(g[0][2]))
    )
    return {
        "locks": int(lock.sum()),
        "locks_s": _seconds(int(length[lock].sum())),
        "waits": int((~lock).sum()),
        "waits_s": _seconds(int(length[~lock].sum())),
        "threads": len(np.unique(tid)),
        "open": int(open_[inside].sum()),
        "rows": [_row(key, waits, names) for key, waits in ranked[:ROWS]],
        "rows_left_out": len(ranked[ROWS:]),
    }


def _row(key: tuple[bool, str, str | None], waits: list[Wait], names: StackNames | None) -> ThreadWaitJson:
    lock, kind, method = key
    by_stack: dict[int, int] = defaultdict(int)
    for _, ns, stack in waits:
        by_stack[stack] += ns
    stack = max(by_stack, key=lambda s: (by_stack[s], -s))
    known = names is not None and stack >= 0
    at = own_index(names.path(stack)) if names is not None and known else -1
    return {
        "kind": kind,
        "lock": lock,
        "method": method,
        "own": names is not None and at >= 0 and at in names.own(stack),
        "count": len(waits),
        "threads": len({tid for tid, _, _ in waits}),
        "thread_s": _seconds(sum(ns for _, ns, _ in waits)),
        "longest_s": _seconds(max(ns for _, ns, _ in waits)),
        "stack": names.shown(stack)[:MOST_FRAMES] if names is not None and known else [],
    }


def _seconds(ns: int) -> float:
    return round(ns / NS_PER_S, 6)
