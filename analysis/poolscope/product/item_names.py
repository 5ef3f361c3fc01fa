"""The kind of work and the method of each item. No event names them, but the stacks recorded while it ran do."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poolscope.attribution.causes.origins import running_item
from poolscope.base.arrays import IntArray
from poolscope.blame.stacks import StackNames
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.contract.tables import TableName
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions
from poolscope.flames.tree import CpuFrame, stack_paths

STACKS: tuple[tuple[TableName, str], ...] = (("waits", "start"), ("snapshots", "time"), ("cpu_samples", "time"))
"""Tables whose rows have a thread, a stack, and the time of the stack."""


Seen = tuple[IntArray, IntArray]
"""Stacks taken while an item ran, in order of time: `stacks.id`, and the execution of each."""


def item_methods(
    capture: DecodedCapture, executions: Executions, seen: Seen | None = None
) -> tuple[list[CpuFrame], IntArray]:
    """Returns methods, and for each execution the index of its method, -1 if no stack with the user's code was taken
    while it ran. `seen`: the stacks of the executions of interest; default: of all.

    An item's method is the outermost one of the user's code on its first stack, because the frames further out belong
    to the pool.
    """
    found = np.full(executions.count, -1, dtype=np.int64)
    stack, item = item_stacks_seen(capture, executions) if seen is None else seen
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
    # Rows are in order of time, so the last assignment, reading backwards, is the item's first stack.
    found[item[named[::-1]]] = code[named[::-1]]
    return list(known), found


def item_stacks_seen(capture: DecodedCapture, executions: Executions, chosen: IntArray | None = None) -> Seen:
    """Returns the stacks taken while an item ran. With `chosen`, at least those of these executions."""
    if not (capture.has("stacks", "frames")):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    base = capture.window[0]
    stack, item, time = [], [], []
    for table, column in STACKS:
        if not capture.has(table):
            continue
        # Column by column: pandas would first copy the whole table.
        stacks, tid, at = (capture.table(table)[name].to_numpy() for name in ("stack", "tid", column))
        rows = np.flatnonzero(stacks >= 0)
        if chosen is not None:
            few = Executions(executions.worker[chosen], executions.start[chosen], executions.end[chosen], len(chosen))
            rows = rows[running_item(few, tid[rows].astype(np.int64), at[rows] - base) >= 0]
        ran = running_item(executions, tid[rows].astype(np.int64), at[rows] - base)
        inside = ran >= 0
        rows = rows[inside]
        stack.append(stacks[rows].astype(np.int64))
        item.append(ran[inside])
        time.append(at[rows])
    if not stack:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.argsort(np.concatenate(time), kind="stable")
    return np.concatenate(stack)[order], np.concatenate(item)[order]


KINDS = ("other", "task", "timer", "socket", "continuation", "delegate", "connection")
"""other: no table shows the kind, and no stack was taken while it ran. continuation: the rest of an async method after
an await; delegate: QueueUserWorkItem; socket: completions of socket calls; connection: a web server's own work on a
connection."""
OTHER, TASK, TIMER = KINDS.index("other"), KINDS.index("task"), KINDS.index("timer")

_CALLERS = (
    ("System.Threading.TimerQueue", "timer"),
    ("System.Net.Sockets.SocketAsyncEngine", "socket"),
    ("Microsoft.AspNetCore.Server.Kestrel", "connection"),
    ("System.Runtime.CompilerServices.AsyncTaskMethodBuilder", "continuation"),
    ("System.Threading.Tasks.AwaitTaskContinuation", "continuation"),
    ("System.Threading.QueueUserWorkItemCallback", "delegate"),
    ("System.Threading.Tasks.Task.", "task"),
)
"""Methods through which the pool enters an item's code, outermost first on its stack."""


def item_kinds(capture: DecodedCapture, items: Items, executions: Executions, seen: Seen | None = None) -> IntArray:
    """Returns an index into KINDS for each of `items`. `executions` are theirs first, then those carried into the
    capture. `seen`: as in `item_methods`."""
    kinds = np.where(items.kind == enum("work_items", "kind", "task"), TASK, OTHER).astype(np.int64)
    if capture.has("stacks", "frames"):
        stack, item = item_stacks_seen(capture, executions) if seen is None else seen
        inside = item < items.count
        stacks, which = np.unique(stack[inside], return_inverse=True)
        names = StackNames(capture)
        told = np.array([_entered_by(names.path(s)) for s in stacks.tolist()], dtype=np.int64)
        if len(told):
            first = np.full(items.count, OTHER, dtype=np.int64)
            # Rows are in order of time; assigning backwards keeps the first one.
            first[item[inside][::-1]] = told[which][::-1]
            kinds = np.where(kinds == OTHER, first, kinds)
    if capture.has("timers"):
        rows = capture.table("timers")["item"].to_numpy()
        kinds[np.isin(items.row, rows[rows >= 0])] = TIMER
    return kinds


def _entered_by(path: list[str | None]) -> int:
    """Returns the kind shown by the outermost telling frame of a stack (leaf first)."""
    return next((kind for method in reversed(path) if (kind := _entered_from(method)) is not None), OTHER)


@lru_cache(maxsize=1 << 16)
def _entered_from(method: str | None) -> int | None:
    """Returns the kind of the code that this method calls, or None if it is no caller. Few methods are on a great many
    stacks."""
    return next(
        (KINDS.index(kind) for start, kind in _CALLERS if method is not None and method.startswith(start)), None
    )
