"""Which frame of a stack to name."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.naming.calls import call_of
from poolscope.naming.ownership import is_user

_MACHINERY = (
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
    for at, method in named:
        if call_of(method) is not None:
            call = at
        elif call >= 0:
            break
    return call if call >= 0 else named[0][0] if named else -1
