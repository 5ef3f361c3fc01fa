"""What kind of work each item was: shown by the tables of timers and tasks, else by how the pool called its code."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.blame.stacks import StackNames
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions
from poolscope.product.item_methods import item_stacks_seen

KINDS = ("other", "task", "timer", "socket", "continuation", "delegate", "connection")
"""other: no table shows, and no stack was seen while it ran. continuation: the rest of an async method after an await;
delegate: QueueUserWorkItem; socket: completions of socket calls; connection: a web server's own work on a connection."""
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
"""Methods by which the pool enters an item's code, outermost first on its stack."""


def item_kinds(capture: DecodedCapture, items: Items, executions: Executions) -> IntArray:
    """Returns an index into KINDS for each of `items`; `executions` are theirs first, then those carried in."""
    kinds = np.where(items.kind == enum("work_items", "kind", "task"), TASK, OTHER).astype(np.int64)
    if capture.has("stacks") and capture.has("frames"):
        stack, item = item_stacks_seen(capture, executions)
        inside = item < items.count
        stacks, which = np.unique(stack[inside], return_inverse=True)
        names = StackNames(capture)
        told = np.array([_entered_by(names.path(s)) for s in stacks.tolist()], dtype=np.int64)
        if len(told):
            seen = np.full(items.count, OTHER, dtype=np.int64)
            # In order of time: the first that is written last is the one that stays.
            seen[item[inside][::-1]] = told[which][::-1]
            kinds = np.where(kinds == OTHER, seen, kinds)
    if capture.has("timers"):
        rows = capture.table("timers")["item"].to_numpy()
        kinds[np.isin(items.row, rows[rows >= 0])] = TIMER
    return kinds


def _entered_by(path: list[str | None]) -> int:
    """Returns the kind that the outermost telling frame of a stack (leaf first) says."""
    return next((kind for method in reversed(path) if (kind := _entered_from(method)) is not None), OTHER)


@lru_cache(maxsize=1 << 16)
def _entered_from(method: str | None) -> int | None:
    """Returns the kind of what this method calls; None: it is none of the callers. Few methods are on very many stacks."""
    return next(
        (KINDS.index(kind) for start, kind in _CALLERS if method is not None and method.startswith(start)), None
    )
