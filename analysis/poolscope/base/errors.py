"""The errors that a user sees: a line of text, and the exit code that goes with it on the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `poolscope` and, by the same names, of `poolscope-collect`. docs/exit-codes.md says when each is
    returned."""

    OK = 0
    FOUND = 1
    """Only of `check`: a condition of `--fail-on` holds."""
    USAGE = 2
    UNREADABLE = 3
    INSUFFICIENT = 4
    INTERNAL = 5
    COULD_NOT = 125
    """Only of `record -- COMMAND`, as of `env` and `timeout`, for the other codes are the command's: nothing was recorded
    or judged."""
    NOT_RUNNABLE = 126
    """Only of `record -- COMMAND`: it is there and cannot be run."""
    NOT_FOUND = 127
    """Only of `record -- COMMAND`: there is no such command."""
    INTERRUPTED = 130
    """Ctrl-C: 128 and the number of the signal, as of every program that a shell runs."""


class PoolscopeError(Exception):
    """A mistake or a limit that the user can act on.

    `message` is one line that says what is wrong and, if there is one, the next command to try. `said`: another
    program, such as the collector, has already said it.
    """

    def __init__(self, message: str, exit_code: ExitCode, said: bool = False) -> None:
        super().__init__(_one_line(message))
        self.exit_code = exit_code
        self.said = said


def _one_line(message: str) -> str:
    """Returns the message with an escape for everything that would end its line or move a terminal's cursor: it may quote a name
    out of a stranger's capture."""
    if message.isprintable():
        return message
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in message)


class UnreadableCapture(PoolscopeError):
    """The path is no capture, or a file of it cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.UNREADABLE)


class InsufficientEvidence(PoolscopeError):
    """The capture is readable, but lacks the stream that every answer rests on."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.INSUFFICIENT)


class InvalidArgument(PoolscopeError, ValueError):
    """An argument of the right type whose value makes no sense, alone or beside the others."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)


class UnknownTable(PoolscopeError, KeyError):
    """There is no table or column of this name, or this capture holds none. A KeyError, as of any mapping."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)

    def __str__(self) -> str:
        # A KeyError shows its argument in quotes, which suits a key and not a sentence.
        return str(self.args[0])
