"""Checks the value of `-o`: a place that can be written, before the work and not after it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from poolscope.base.errors import InvalidArgument


class OutputPath(click.Path):
    """A file to write, or a folder if the verb can write one. Fails at once if it cannot be written."""

    name = "output"

    def __init__(self, folder_allowed: bool = False) -> None:
        super().__init__(path_type=Path)
        self.folder_allowed = folder_allowed

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Returns the path. Raises InvalidArgument, which says what is in the way."""
        path = Path(value)
        if not str(value):
            raise InvalidArgument("cannot write to a file without a name: -o takes a path")
        if why := self._in_the_way(path):
            raise InvalidArgument(f"cannot write {path}: {why}")
        return path

    def _in_the_way(self, path: Path) -> str | None:
        parent = path.parent
        try:
            if path.is_dir() and not self.folder_allowed:
                return "it is a folder; name a file in it"
            if not parent.exists():
                return f"there is no folder {parent}"
            if not parent.is_dir():
                return f"{parent} is a file, not a folder"
        except OSError as error:
            return error.strerror or str(error)
        if not os.access(parent, os.W_OK):
            return f"the folder {parent} is not writable"
        return None
