"""One way to block a thread."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BlockingCall:
    """One way to block a thread."""

    starts: tuple[str, ...]
    """How the framework's methods begin, without type arguments; the longest that fits decides."""
    kind: str | None
    """A key of blame.kinds.KIND_WORDS. None: what it calls says how it waits."""
    call: str
    """As a person writes it."""
    instead: str | None = None
    """What to write instead; None: nothing blocks less, and advice depends on the kind."""
    advice: str | None = None
    """What to do about a call whose asynchronous form blocks a thread too, or that has none: a clause in the imperative.
    Where such a call is on a stack, awaiting what calls it frees no thread."""
    library: str | None = None
    """The whole name of a library's method; None: the call is the framework's."""
