"""Output to the terminal: colour and progress if stdout or stderr is one, and readers that closed their end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 120
"""The columns of tables if the output is no terminal."""
CLEAR_LINE = "\r\033[K"


def console() -> Console:
    """Returns the console for stdout: without styles if it is no terminal, or if NO_COLOR is set and not empty
    (https://no-color.org)."""
    from rich.console import Console

    made = Console(highlight=False, soft_wrap=True, color_system=None if os.environ.get("NO_COLOR") else "auto")
    if not made.is_terminal:
        made.width = WIDTH
    return made


def progress(text: str) -> None:
    """Shows the current step in place of the previous one; prints nothing if stderr is no terminal."""
    if _watched():
        click.echo(f"{CLEAR_LINE}{text}", nl=False, err=True)


def progress_over() -> None:
    """Removes the output of `progress`."""
    if _watched():
        click.echo(CLEAR_LINE, nl=False, err=True)


def print_anywhere() -> None:
    """Makes stdout and stderr accept every text. Characters that they cannot encode, such as in a pipe on Windows or an
    ASCII terminal, become question marks. If one of them is closed, its output is discarded."""
    # The file stays open to the end, as the interpreter's own streams do.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="replace")


def reader_is_gone() -> None:
    """Discards all further output, as after `| head`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def even_if_nobody_reads() -> Iterator[None]:
    """Continues after the reader of stdout has closed it: the exit code is an answer, too."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as end:
        # Newer versions of rich end the process.
        if not isinstance(end, BrokenPipeError) and not isinstance(end.__context__, BrokenPipeError):
            raise
        reader_is_gone()


def _watched() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
