"""The one error type that a user sees: a line of text and the exit code that goes with it."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the `poolscope` command."""

    OK = 0
    FOUND = 1
    """Only of `check`: a condition of `--fail-on` holds."""
    USAGE = 2
    UNREADABLE = 3
    INSUFFICIENT = 4
    INTERNAL = 5


class PoolscopeError(Exception):
    """A mistake or a limit that the user can act on.

    `message` is one line that says what is wrong and, where there is one, the next command to try.
    """

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UnreadableCapture(PoolscopeError):
    """The path is no capture, or a file of it cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.UNREADABLE)


class InsufficientEvidence(PoolscopeError):
    """The capture is readable, but lacks the stream that every answer rests on."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.INSUFFICIENT)
