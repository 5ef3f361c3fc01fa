"""Whose code a method is, told from its name as the runtime gives it."""

from __future__ import annotations

from functools import lru_cache

FRAMEWORK = ("System.", "Microsoft.", "Interop+", "Interop.", "Internal.", "dynamicClass.", "(dynamicClass)")
"""Namespaces of the runtime and its libraries, and the class that holds methods made at run time (stubs for native calls,
compiled expressions): nobody wrote those by that name. Everything else is the user's code, or code that the user chose."""


@lru_cache(maxsize=1 << 16)  # few methods are on very many stacks
def is_user(method: str | None) -> bool:
    """Whether a method is none of the runtime's or its libraries'. Code without a name is not counted as the user's."""
    return method is not None and not method.startswith(FRAMEWORK)
