"""The completions that the shell offers for Tab: captures, and the words of an option."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

LOOKED_AT = 1000
"""The most entries of a folder that are read: the user cannot choose from more, and Tab must answer at once."""
PLAIN = re.compile(r"[\w./+@%,-]*")
"""Names that need no quotes in bash, zsh and fish. The shell itself quotes other names when it completes files."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class CapturePath(click.Path):
    """A capture folder or a zip of one. Opening it, not parsing the argument, reports a missing or unreadable path."""

    name = "capture"

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Returns the captures that begin with `incomplete`, and those in folders that do; if it finds none, the
        shell's own files."""
        found = sorted(set(_captures(incomplete))) if PLAIN.fullmatch(incomplete) else []
        if not found or not all(PLAIN.fullmatch(path) for path in found):
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(path) for path in found]


def one_of(*words: str) -> Complete:
    """Returns a completer that offers these words for an option, which may take others, too."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]

    return complete


def _captures(prefix: str) -> Iterator[str]:
    """Yields paths of captures in the form that the user would type."""
    for entry in _entries(os.path.dirname(prefix), os.path.basename(prefix)):
        if _is_capture(entry):
            yield entry
        elif os.path.isdir(entry):
            yield from filter(_is_capture, _entries(entry + os.sep, ""))


def _entries(folder: str, begin: str) -> Iterator[str]:
    """Yields names in a folder, with the folder before them. Skips names that begin with a dot unless `begin` is not
    empty."""
    try:
        with os.scandir(folder or ".") as entries:
            for _, entry in zip(range(LOOKED_AT), entries):
                if entry.name.startswith(begin) and (begin or not entry.name.startswith(".")):
                    yield os.path.join(folder, entry.name)
    except OSError:
        return


def _is_capture(path: str) -> bool:
    return path.endswith(".zip") or os.path.isfile(os.path.join(path, "capture.json"))
