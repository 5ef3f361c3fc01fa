"""The completions that the shell offers for Tab: captures, and the words of an option."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

LOOKED_AT = 1000
"""Entries of a folder; more are no help to pick from, and Tab must answer at once."""
PLAIN = re.compile(r"[\w./+@%,-]*")
"""What needs no quotes in bash, zsh and fish. The shell quotes other names itself when it completes files."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class CapturePath(click.Path):
    """A capture folder or a zip of one. Whether it is there and readable is said when it is opened."""

    name = "capture"

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Returns the captures that begin so, and those in folders that do; if there is none, the shell's own files."""
        found = sorted(set(_captures(incomplete))) if PLAIN.fullmatch(incomplete) else []
        if not found or not all(PLAIN.fullmatch(path) for path in found):
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(path) for path in found]


def one_of(*words: str) -> Complete:
    """Offers these words for an option, which may take others too."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]

    return complete


def _captures(prefix: str) -> Iterator[str]:
    """Yields paths of captures, as they would be typed on."""
    for entry in _entries(os.path.dirname(prefix), os.path.basename(prefix)):
        if _is_capture(entry):
            yield entry
        elif os.path.isdir(entry):
            yield from filter(_is_capture, _entries(entry + os.sep, ""))


def _entries(folder: str, begin: str) -> Iterator[str]:
    """Names in a folder, with the folder before them; those that begin with a dot only where a dot was typed."""
    try:
        with os.scandir(folder or ".") as entries:
            for _, entry in zip(range(LOOKED_AT), entries):
                if entry.name.startswith(begin) and (begin or not entry.name.startswith(".")):
                    yield os.path.join(folder, entry.name)
    except OSError:
        return


def _is_capture(path: str) -> bool:
    return path.endswith(".zip") or os.path.isfile(os.path.join(path, "capture.json"))
