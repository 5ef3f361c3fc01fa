"""The files of a capture that is a folder: regular files and nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from poolscope.base.errors import UnreadableCapture

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A link is not followed, and a pipe does not block. Windows has neither flag."""


class Folder:
    """Reads files of a capture folder by their path inside it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, name: str) -> bytes | None:
        """The whole file; None where there is none.

        Raises UnreadableCapture when it is a link or no regular file, and when it cannot be read.
        """
        path = self._root / name
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                raise _special(path)
            with open(os.open(path, _FLAGS), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise _special(path)
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})") from error
        except MemoryError as error:
            raise UnreadableCapture(f"{path}: larger than the memory of this machine") from error

    def refuse_links(self) -> None:
        """Raises UnreadableCapture when anything in the folder is a link, a pipe or a device.

        The collector writes none, so somebody else did: a link would have this machine read a file of its own into a
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
