"""Chooses what to name from a stack: a frame, the calls by which its thread blocks, and the kind of that wait."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.naming.call import BlockingCall, library_call
from poolscope.naming.calls import DISPATCH, call_of
from poolscope.naming.ownership import LibraryMethod, is_user
from poolscope.naming.written import written


_MACHINERY = (
    "System.Diagnostics.Tracing.",
    "System.Threading.",
    "System.Runtime.",
    "System.Environment.",
    "System.Private.",
    "System.Net.Sockets.",
    "System.IO.RandomAccess",
    "Microsoft.Win32.SafeHandles.",
    "Microsoft.AspNetCore.",
    "Microsoft.Extensions.",
    "Interop",
    "Internal.",
    "dynamicClass.",
    "(dynamicClass)",
)
"""Framework code that shows how a thread waits or who called it, but not what the program requested."""
_STUBS = (
    "System.Diagnostics.Tracing.",
    "System.Threading.Monitor.",
    "System.Threading.Lock.",
    "System.Threading.Lock+",
)
"""The runtime's own events, and the ways into a lock. The place to name is their caller."""


def own_index(stack: Sequence[str | None]) -> int:
    """Returns the index of the frame to name: the user's frame nearest to the leaf. -1 if no frame has a name.

    `stack` is leaf first, with None for code without a name. Without a user's frame, returns the framework's frame
    nearest to the leaf that shows what the program requested (such as `System.Net.Http.HttpClient.Send`), or the call
    that blocks, or the leaf.
    """
    named = [(at, method) for at, method in enumerate(stack) if method is not None]
    own = next((at for at, method in named if is_user(method)), None)
    if own is not None:
        return own
    telling = next((at for at, method in named if not method.startswith(_MACHINERY)), None)
    if telling is not None:
        return telling
    call = -1
    if named and named[0][1].startswith(_STUBS):
        inside = next((at for at, method in named if not method.startswith(_STUBS)), None)
        if inside is not None and call_of(str(stack[inside])) is None and not str(stack[inside]).startswith(DISPATCH):
            return inside
    for at, method in named:
        if call_of(method) is not None:
            call = at
        elif call >= 0:
            break
    return call if call >= 0 else named[0][0] if named else -1


def blocking_calls(stack: Sequence[str | None]) -> list[BlockingCall]:
    """Returns the calls by which a thread blocks, starting with the one to name.

    `stack` is leaf first, with None for code without a name. The call made by the user's code comes first: methods
    nearer to the leaf show how the framework waits (nearly always in a monitor), not for what. Without user code, the
    stack may also have callers of the wait, so the call nearest to the leaf comes first. But a thread inside a wait for
    a task waits for that task, even if the JIT inlined the caller.
    """
    found: list[BlockingCall] = []
    inner: str | None = None
    for method in stack:
        if is_user(method):
            if isinstance(inner, LibraryMethod):
                found.append(library_call(inner))
            return _decisive_first(found[::-1])
        if method is not None:
            if method.startswith(DISPATCH):
                break
            if (call := call_of(method)) is not None:
                found.append(call)
            inner = method
    # Nearly everything waits in a monitor in the end.
    if len(found) > 1 and found[0].kind == "condition":
        found.append(found.pop(0))
    task = next((call for call in found if call.kind == "task-wait"), None)
    if task is None or found[0].kind == "task-wait":
        return _decisive_first(found)
    return _decisive_first([task, *(c for c in found if c is not task)])


def _decisive_first(found: list[BlockingCall]) -> list[BlockingCall]:
    """Puts calls that block a thread however they are called before calls that only lead to them."""
    return sorted(found, key=lambda call: call.advice is None)


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
"""Kinds that may contend for a lock. For any other kind, a contended lock is the reason."""
_WAITS = ("System.Threading.", "System.Collections.Concurrent.BlockingCollection")


def user_method(stack: Sequence[str | None]) -> str | None:
    """Returns the method to name, as its author wrote it: the user's nearest to the leaf, or a telling one of the
    framework's.

    `stack` is leaf first, with None for code without a name. Returns None if no frame has a name.
    """
    at = own_index(stack)
    return None if at < 0 else written(str(stack[at]))


def kind_of(stack: Sequence[str | None], lock: bool = False) -> str:
    """Returns a key of KIND_WORDS, chosen by the call in the user's code. `lock` is True if a contention event shows a
    lock."""
    kind = next((call.kind for call in blocking_calls(stack) if call.kind is not None), None)
    if lock:
        return kind if kind in _LOCKED else "lock"
    if kind is not None:
        return kind
    leaf = next((method for method in stack if method is not None), "")
    return "wait-handle" if leaf.startswith(_WAITS) and _waits(leaf) else "unknown"


def call_in(stack: Sequence[str | None]) -> BlockingCall | None:
    """Returns the call to name for a blocked stack, or None if naming/calls.py does not know it."""
    return next(iter(blocking_calls(stack)), None)


def _waits(method: str) -> bool:
    name = method.rsplit(".", 1)[-1]
    return name.startswith(("Wait", "Join", "SignalAndWait", "ObjWait"))
