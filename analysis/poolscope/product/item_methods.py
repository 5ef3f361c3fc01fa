"""The method of a work item: no event names it, but the stacks that were seen while it ran do."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.causes.wakers import running_item
from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import Executions
from poolscope.flames.frames import CpuFrame, stack_paths

STACKS = (("waits", "start"), ("snapshots", "time"), ("cpu_samples", "time"))
"""Tables whose rows have a thread, a stack, and the time at which it was taken."""


def item_methods(capture: DecodedCapture, executions: Executions) -> tuple[list[CpuFrame], IntArray]:
    """Returns methods, and for each execution the index of its own, or -1 if no stack of the user's code was taken
    while it ran.

    An item's method is the outermost one of the user's code on its first stack: what is further out belongs to the
    pool.
    """
    found = np.full(executions.count, -1, dtype=np.int64)
    stack, item = item_stacks_seen(capture, executions)
    if len(stack) == 0:
        return [], found
    stacks, which = np.unique(stack, return_inverse=True)
    known: dict[CpuFrame, int] = {}
    of_stack = np.full(len(stacks), -1, dtype=np.int64)
    for number, path in enumerate(stack_paths(capture, stacks.tolist())):
        method = next((frame for frame, _ in path if frame.user), None)
        if method is not None:
            of_stack[number] = known.setdefault(method, len(known))
    code = of_stack[which]
    named = np.flatnonzero(code >= 0)
    # In order of time, so the last that is written to an item, read backwards, is its first.
    found[item[named[::-1]]] = code[named[::-1]]
    return list(known), found


def item_stacks_seen(capture: DecodedCapture, executions: Executions) -> tuple[IntArray, IntArray]:
    """Returns the stacks taken while an item ran, in order of time: `stacks.id`, and the execution of each."""
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
