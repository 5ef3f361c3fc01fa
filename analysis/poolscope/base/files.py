"""Writes results: whole or not at all, readable only by the user, and never into the evidence that they come from."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from poolscope.base.errors import InvalidArgument

PRIVATE_FILE = 0o600
"""The mode of result files, which name every process of a machine, and the paths and arguments of one."""
PRIVATE_FOLDER = 0o700


def keep_out_of_evidence(output: Path, *captures: Path) -> None:
    """Raises InvalidArgument if `output` is one of the captures (folders or zips) or lies inside one.

    A capture is evidence: every recipient must find only the collector's own files in it.
    """
    place = output.resolve()
    for capture in captures:
        evidence = capture.resolve()
        if place == evidence or evidence in place.parents:
            raise InvalidArgument(
                f"cannot write {output}: it belongs to the capture {capture}, which is only read; choose another place"
            )


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all. Raises InvalidArgument if it cannot be written."""
    with written_whole(path) as temporary:
        temporary.write_text(text, "utf-8")


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yields a temporary path for a file or a folder, and moves the result to `path` unless an error was raised.

    The temporary path lies in a new folder with a random name beside `path` that only the user may enter. No other user
    can plant a link there, or read an unfinished file. Files get mode 0600 and folders 0700, whatever the umask is.

    The result replaces a regular file at `path`; a folder also replaces an empty folder. Raises InvalidArgument if
    `path` is a link, a device or a pipe, or if it cannot be written.
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


def cache_folder() -> Path:
    """Returns the cache folder: $POOLSCOPE_CACHE, or `poolscope` in the user's own cache folder."""
    if told := os.environ.get("POOLSCOPE_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "poolscope" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "poolscope"


def _refuse_special(path: Path) -> None:
    """Refuses links and devices: an attacker may have planted a link, and root would break the machine by replacing a
    device."""
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
