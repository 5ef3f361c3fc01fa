"""Which frame of a stack to name."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.naming.calls import DISPATCH, call_of
from poolscope.naming.ownership import is_user

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
"""Framework code that says how a thread waits or who called it, and not what was asked for."""
_STUBS = (
    "System.Diagnostics.Tracing.",
    "System.Threading.Monitor.",
    "System.Threading.Lock.",
    "System.Threading.Lock+",
)
"""The runtime's own events, and the ways into a lock: their caller is the place."""


def own_index(stack: Sequence[str | None]) -> int:
    """Returns the place of the frame to name: the user's nearest to the leaf. -1: no frame has a name.

    `stack` is leaf first; None stands for code without a name. Without a frame of the user's it is the framework's
    nearest to the leaf that says what was asked for (such as `System.Net.Http.HttpClient.Send`), else the call that
    blocks, else the leaf.
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
