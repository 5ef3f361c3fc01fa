"""The files of a capture that is a folder: regular files and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from poolscope.base.errors import UnreadableCapture

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A link is not followed, and a pipe does not block. Windows has neither flag."""


class Folder:
    """Reads files of a capture folder by their path inside it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, name: str) -> bytes | None:
        """Returns the whole file; None if there is none.

        Raises UnreadableCapture when it is a link or no regular file, and when it cannot be read.
        """
        path = self._root / name
        try:
            with self.opened(name) as file:
                return None if file is None else file.read()
        except OSError as error:
            raise UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})") from error
        except MemoryError as error:
            raise UnreadableCapture(f"{path}: larger than the memory of this machine") from error

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO | None]:
        """Yields the file, open while the context lasts; None if there is none. Raises as `read` does."""
        path = self._root / name
        with ExitStack() as closing:
            file: BinaryIO | None = None
            try:
                if not stat.S_ISREG(path.lstat().st_mode):
                    raise _special(path)
                file = closing.enter_context(open(os.open(path, _FLAGS), "rb"))
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise _special(path)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError as error:
                raise UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})") from error
            yield file

    def refuse_links(self) -> None:
        """Raises UnreadableCapture when anything in the folder is a link, a pipe or a device.

        The collector writes none, so something else did: a link would have this machine read a file of its own into a
        report that is then sent away.
        """
        folders = [self._root]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
                        elif not entry.is_file(follow_symlinks=False):
                            raise _special(Path(entry.path))
            except OSError as error:
                raise UnreadableCapture(f"{self._root}: cannot be read ({error.strerror or error})") from error


def _special(path: Path) -> UnreadableCapture:
    kind = "a link" if path.is_symlink() else "no regular file"
    return UnreadableCapture(f"{path}: {kind}; a capture holds regular files only, so this one is not opened")
