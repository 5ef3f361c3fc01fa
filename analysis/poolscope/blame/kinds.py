"""What kind of wait a stack is, and which method to name for it."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.naming import own_index, written
from poolscope.naming.call import BlockingCall
from poolscope.naming.choice import blocking_calls

KIND_WORDS = {
    "lock": "lock",
    "reader-writer-lock": "reader-writer lock",
    "task-wait": "synchronous wait for a task",
    "wait-handle": "wait handle or event",
    "semaphore": "semaphore",
    "condition": "condition wait",
    "blocking-collection": "blocking collection",
    "initialisation": "one-time initialisation",
    "sleep": "sleep",
    "socket": "socket call",
    "dns": "name resolution",
    "database": "database call",
    "file": "file call",
    "process": "wait for a process",
    "certificate": "certificate chain",
    "logger": "logging",
    "unknown": "not known",
}

_LOCKED = ("lock", "reader-writer-lock", "initialisation", "blocking-collection")
"""Kinds that may contend for a lock; of any other a contended lock is the reason."""
_WAITS = ("System.Threading.", "System.Collections.Concurrent.BlockingCollection")


def user_method(stack: Sequence[str | None]) -> str | None:
    """Returns the method to name, as its author wrote it: the user's nearest to the leaf, else a telling one of the framework's.

    `stack` is leaf first; None stands for code without a name. None: no frame has a name.
    """
    at = own_index(stack)
    return None if at < 0 else written(str(stack[at]))


def kind_of(stack: Sequence[str | None], lock: bool = False) -> str:
    """Returns a key of KIND_WORDS, chosen by the call in the user's code. `lock`: a contention event says that it is a lock."""
    kind = next((call.kind for call in blocking_calls(stack) if call.kind is not None), None)
    if lock:
        return kind if kind in _LOCKED else "lock"
    if kind is not None:
        return kind
    leaf = next((method for method in stack if method is not None), "")
    return "wait-handle" if leaf.startswith(_WAITS) and _waits(leaf) else "unknown"


def call_in(stack: Sequence[str | None]) -> BlockingCall | None:
    """Returns the call to name for a blocked stack; None: not one that naming/calls.py knows."""
    return next(iter(blocking_calls(stack)), None)


def _waits(method: str) -> bool:
    name = method.rsplit(".", 1)[-1]
    return name.startswith(("Wait", "Join", "SignalAndWait", "ObjWait"))
