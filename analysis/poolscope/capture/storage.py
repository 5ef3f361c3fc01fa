"""Reads the files of a capture: the regular files of a folder, or those of a zip within fixed limits.

A stranger's archive may inflate to any size.
"""

from __future__ import annotations

import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from poolscope.base.errors import UnreadableCapture

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Does not follow a link, and does not block on a pipe. Windows has neither flag."""


class Folder:
    """Reads files of a capture folder by their path inside it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, name: str) -> bytes | None:
        """Returns the whole file; None if it does not exist.

        Raises UnreadableCapture if it is a link or no regular file, or if it cannot be read.
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
        """Yields the file, open while the context lasts; None if it does not exist. Raises the same errors as
        `read`."""
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
        """Raises UnreadableCapture if anything in the folder is a link, a pipe or a device.

        The collector writes none of these, so another program did. A link could make this machine read one of its own
        files into a report that the user then sends away.
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


MANIFEST = "capture.json"
MOST_INFLATION = 100
"""The most bytes that a zip may inflate to, in multiples of its size: tables of real captures shrink to a fifth up to a
twelfth."""
ALWAYS_ALLOWED = 16 << 20
"""The bytes that a zip of any size may inflate to: small tables are mostly headers, which shrink to nearly nothing."""
READ = (MANIFEST, "truth.npz")
"""The files that are read besides those of `tables/`."""
DAMAGED = (
    *(OSError, EOFError, KeyError, ValueError, IndexError, OverflowError, struct.error),
    *(RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)
"""The errors of `zipfile` for a damaged archive. An encrypted archive raises RuntimeError. A compression that this
Python lacks raises NotImplementedError, which is a RuntimeError, too."""


class Archive:
    """Reads files of a zipped capture, with or without a folder around it.

    The zip is open only while it is read: a script may read a thousand captures and close none.
    """

    def __init__(self, path: Path) -> None:
        """Raises UnreadableCapture if `path` is no zip, holds several captures, two files of one name or a link, or
        would inflate to more than MOST_INFLATION times its size and ALWAYS_ALLOWED."""
        self._path = path
        try:
            if not path.is_file():
                raise UnreadableCapture(f"{path}: a pipe or device; name a regular file")
            size = path.stat().st_size
            with zipfile.ZipFile(path) as archive:
                entries = archive.infolist()
        except DAMAGED as error:
            raise UnreadableCapture(f"{path}: {_unknown(path, error)}") from error
        self._names = {entry.filename for entry in entries}
        if len(self._names) < len(entries):
            raise UnreadableCapture(f"{path}: two files of the zip have the same name")
        manifests = [name for name in self._names if name == MANIFEST or name.endswith(f"/{MANIFEST}")]
        if len(manifests) > 1:
            raise UnreadableCapture(f"{path}: {len(manifests)} captures in one zip; unpack it and name one of them")
        self._prefix = manifests[0].removesuffix(MANIFEST) if manifests else ""
        self._check(entries, size)

    def read(self, name: str) -> bytes | None:
        """Returns the whole file; None if it does not exist. Raises UnreadableCapture if it cannot be read."""
        if self._prefix + name not in self._names:
            return None
        try:
            with zipfile.ZipFile(self._path) as archive:
                return archive.read(self._prefix + name)
        except DAMAGED as error:
            raise UnreadableCapture(f"{self._path}: {name} cannot be read ({error})") from error
        except MemoryError as error:
            raise UnreadableCapture(f"{self._path}: {name} is larger than the memory of this machine") from error

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO | None]:
        """Yields the file, in memory; None if it does not exist. Raises the same errors as `read`."""
        raw = self.read(name)
        yield None if raw is None else io.BytesIO(raw)

    def _check(self, entries: list[zipfile.ZipInfo], size: int) -> None:
        inflated = 0
        for entry in entries:
            kind = entry.external_attr >> 16
            if stat.S_IFMT(kind) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise UnreadableCapture(
                    f"{self._path}: {entry.filename} is a link or no regular file; a capture holds regular files only"
                )
            name = entry.filename.removeprefix(self._prefix)
            if name in READ or name.startswith("tables/"):
                inflated += entry.file_size
        if inflated > MOST_INFLATION * size + ALWAYS_ALLOWED:
            raise UnreadableCapture(
                f"{self._path}: would inflate from {size:,} to {inflated:,} bytes; more than {MOST_INFLATION} times is refused"
            )


def _unknown(path: Path, error: BaseException) -> str:
    """Returns the message for a file that no reader knows, with the reason if it is a zip that cannot be read."""
    said = "neither a capture folder nor a zip of one"
    try:
        with open(path, "rb") as file:
            is_zip = file.read(2) == b"PK"
    except OSError:
        return f"{said} ({error})"
    if is_zip:
        return f"{said}: the zip is damaged, or was not copied whole ({error})"
    return (
        f"{said}, nor a recording that Poolscope knows; it reads a .nettrace of dotnet-trace, an .etl or .etl.zip of PerfView, "
        "and memory dumps"
    )
