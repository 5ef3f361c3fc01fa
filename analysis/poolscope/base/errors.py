"""The errors that a user sees: one line of text, and an exit code for the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `poolscope` and, with the same names, of `poolscope-collect`. docs/exit-codes.md says when each is
    returned."""

    OK = 0
    FOUND = 1
    """Only from `check`: a condition of `--fail-on` holds."""
    USAGE = 2
    UNREADABLE = 3
    INSUFFICIENT = 4
    INTERNAL = 5
    COULD_NOT = 125
    """Only from `record -- COMMAND`, as from `env` and `timeout`, because the other codes belong to the command:
    Poolscope recorded and judged nothing."""
    NOT_RUNNABLE = 126
    """Only from `record -- COMMAND`: the command exists and cannot be run."""
    NOT_FOUND = 127
    """Only from `record -- COMMAND`: the command does not exist."""
    INTERRUPTED = 130
    """Ctrl-C: 128 plus the number of the signal, as for every program that a shell runs."""


class PoolscopeError(Exception):
    """A mistake or a limit that the user can act on.

    `message` is one line that says what is wrong and, if possible, the next command to try. `said`: another program,
    such as the collector, has already printed it.
    """

    def __init__(self, message: str, exit_code: ExitCode, said: bool = False) -> None:
        super().__init__(_one_line(message))
        self.exit_code = exit_code
        self.said = said


def _one_line(message: str) -> str:
    """Returns the message with an escape for every character that would end its line or move a terminal's cursor: it
    may quote a name from a stranger's capture."""
    if message.isprintable():
        return message
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in message)


class UnreadableCapture(PoolscopeError):
    """The error for a path that is no capture, or whose files cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.UNREADABLE)


class InsufficientEvidence(PoolscopeError):
    """The error for a readable capture that lacks the stream that every answer needs."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.INSUFFICIENT)


class InvalidArgument(PoolscopeError, ValueError):
    """The error for an argument of the right type whose value makes no sense, alone or with the other arguments."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)


class UnknownTable(PoolscopeError, KeyError):
    """The error for a table or column name that does not exist, or that this capture lacks. A KeyError, as for any
    mapping."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)

    def __str__(self) -> str:
        # A KeyError shows its argument in quotes, which suits a key and not a sentence.
        return str(self.args[0])
