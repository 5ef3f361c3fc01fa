"""What kind of wait a stack is, and whose code it is, told from the names of its methods."""

from __future__ import annotations

from collections.abc import Sequence

FRAMEWORK = ("System.", "Microsoft.", "Interop", "Internal.", "dynamicClass.IL_STUB_")
"""Namespaces of the runtime and its libraries, and the stubs that it makes for native calls; everything else is the user's code, or code that the user chose."""

KIND_WORDS = {
    "lock": "lock",
    "task-wait": "synchronous wait for a task",
    "wait-handle": "wait handle or event",
    "semaphore": "semaphore",
    "sleep": "sleep",
    "socket": "socket call",
    "file": "file call",
    "unknown": "not known",
}

_SPECIFIC = (
    ("sleep", ("System.Threading.Thread.Sleep",)),
    (
        "task-wait",
        (
            "System.Threading.Tasks.Task.",
            "System.Threading.Tasks.Task`1",
            "System.Threading.Tasks.ValueTask",
            "System.Runtime.CompilerServices.TaskAwaiter",
            "System.Runtime.CompilerServices.ValueTaskAwaiter",
            "System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
            "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable",
        ),
    ),
    (
        "lock",
        (
            "System.Threading.Monitor.Enter",
            "System.Threading.Monitor.TryEnter",
            "System.Threading.Monitor.ReliableEnter",
            "System.Threading.Lock.",
            "System.Threading.SpinLock.",
            "System.Threading.ReaderWriterLock",
        ),
    ),
    # System.Threading.Semaphore waits as every wait handle does, and no frame tells it from an event.
    ("semaphore", ("System.Threading.SemaphoreSlim.",)),
    ("socket", ("System.Net.Sockets.", "System.Net.Dns", "System.Net.NameResolutionPal", "Interop+Sys.Receive")),
    (
        "file",
        (
            "System.IO.RandomAccess",
            "System.IO.File",
            "System.IO.Strategies.",
            "Microsoft.Win32.SafeHandles.SafeFileHandle",
            "System.IO.Pipes.",
        ),
    ),
)
_WAITS = ("System.Threading.", "System.Collections.Concurrent.BlockingCollection")


def is_user(method: str | None) -> bool:
    """Whether a method is none of the runtime's or its libraries'. Code without a name is not counted as the user's."""
    return method is not None and not method.startswith(FRAMEWORK)


def user_method(stack: Sequence[str | None]) -> str | None:
    """The user's method nearest to the leaf, else the named method nearest to it.

    `stack` is leaf first; None stands for code without a name.
    """
    return next((m for m in stack if is_user(m)), next((m for m in stack if m is not None), None))


def kind_of(stack: Sequence[str | None]) -> str:
    """A key of KIND_WORDS, told by what the user's code called.

    The methods nearest to the leaf say how a thread waits (nearly always in a monitor), those above them for what: so
    the first specific name on the way from the leaf to the user's code decides, and a bare wait only without one.
    """
    called = []
    for method in stack:
        if is_user(method):
            break
        if method is not None:
            called.append(method)
    for method in called:
        for kind, prefixes in _SPECIFIC:
            if method.startswith(prefixes):
                return kind
        if method.startswith("System.Threading.ThreadPoolWorkQueue"):
            break
    return "wait-handle" if called and called[0].startswith(_WAITS) and _waits(called[0]) else "unknown"


def _waits(method: str) -> bool:
    name = method.rsplit(".", 1)[-1]
    return name.startswith(("Wait", "Join", "SignalAndWait", "ObjWait"))
