"""Whose code a method is, told from its name as the runtime gives it."""

from __future__ import annotations

from collections.abc import Sequence

FRAMEWORK = ("System.", "Microsoft.", "Interop+", "Interop.", "Internal.", "dynamicClass.", "(dynamicClass)")
"""Namespaces of the runtime and its libraries, and the class that holds methods made at run time (stubs for native calls,
compiled expressions): nobody wrote those by that name. Everything else is the user's code, or code that the user chose."""
_MACHINERY = (
    "System.Threading.",
    "System.Runtime.",
    "System.Environment.",
    "System.Private.",
    "System.Net.Sockets.",
    "System.IO.RandomAccess",
    "Microsoft.Win32.SafeHandles.",
    "Interop",
    "Internal.",
    "dynamicClass.",
    "(dynamicClass)",
)
"""Framework code that says how a thread waits, and not for what."""


def is_user(method: str | None) -> bool:
    """Whether a method is none of the runtime's or its libraries'. Code without a name is not counted as the user's."""
    return method is not None and not method.startswith(FRAMEWORK)


def own_index(stack: Sequence[str | None]) -> int:
    """Returns the place of the frame to name: the user's nearest to the leaf. -1: no frame has a name.

    `stack` is leaf first; None stands for code without a name. Without a frame of the user's it is the framework's
    nearest to the leaf that says what was asked for (such as `System.Net.Http.HttpClient.Send`), else the leaf's.
    """
    named = [at for at, method in enumerate(stack) if method is not None]
    own = next((at for at in named if is_user(stack[at])), None)
    if own is not None:
        return own
    telling = next((at for at in named if not str(stack[at]).startswith(_MACHINERY)), None)
    if telling is not None:
        return telling
    return next((at for at in named if not str(stack[at]).startswith("dynamicClass.")), named[0] if named else -1)
