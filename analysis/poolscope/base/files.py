"""Writing results: whole or not at all, for the user's eyes only, and never into the evidence that they come from."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from poolscope.base.errors import InvalidArgument

PRIVATE_FILE = 0o600
"""Results name every process of a machine, and the paths and arguments of one."""
PRIVATE_FOLDER = 0o700


def keep_out_of_evidence(output: Path, *captures: Path) -> None:
    """Raises InvalidArgument when `output` is one of the captures (folders or zips) or lies inside one.

    A capture is evidence: anyone who gets it must find what the collector wrote and nothing else.
    """
    place = output.resolve()
    for capture in captures:
        evidence = capture.resolve()
        if place == evidence or evidence in place.parents:
            raise InvalidArgument(
                f"cannot write {output}: it belongs to the capture {capture}, which is only read; choose another place"
            )


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all. Raises InvalidArgument when it cannot be written."""
    with written_whole(path) as temporary:
        temporary.write_text(text, "utf-8")


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yields the path at which to write a file or a folder; afterwards it stands at `path`, unless an error was raised.

    It is written in a new folder of a random name beside `path` that only the user may enter: no other user can plant a link there, or read an unfinished file. Files get mode 0600 and folders 0700, whatever the umask is.

    A regular file at `path` is replaced, and so is an empty folder by a folder. Raises InvalidArgument when `path` is a
    link, a device or a pipe, and when it cannot be written.
    """
    try:
        _refuse_special(path)
        folder = Path(tempfile.mkdtemp(prefix=".poolscope-", dir=path.parent))
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        temporary = folder / path.name
        yield temporary
        _make_private(temporary)
        _refuse_special(path)
        if temporary.is_dir() and path.is_dir():
            path.rmdir()
        os.replace(temporary, path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse_special(path: Path) -> None:
    """Refuses links and devices: a link may have been planted, and replacing a device, as root can, breaks the machine."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(kind):
        raise InvalidArgument(f"cannot write {path}: it is a link, which is not followed; name the file itself")
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise InvalidArgument(f"cannot write {path}: it is no regular file")


def _make_private(path: Path) -> None:
    if not path.is_dir():
        path.chmod(PRIVATE_FILE)
        return
    path.chmod(PRIVATE_FOLDER)
    for folder, folders, files in os.walk(path):
        for name in folders:
            Path(folder, name).chmod(PRIVATE_FOLDER)
        for name in files:
            Path(folder, name).chmod(PRIVATE_FILE)


def _cannot_write(path: Path, error: OSError) -> InvalidArgument:
    return InvalidArgument(f"cannot write {path}: {error.strerror or error}")
