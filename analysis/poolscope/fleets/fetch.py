"""A capture where it can be read: a path as it is, a URL as a bounded copy in a private folder that is removed again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from poolscope.base.errors import PoolscopeError, UnreadableCapture
from poolscope.capture.archive import MANIFEST
from poolscope.capture.schema import load_schema
from poolscope.fleets.sources import file_system, is_url

MOST_BYTES = 4 << 30
"""For one capture's tables, or its zip, that a download may have: 40 times the tables of a busy minute."""
BLOCK = 1 << 20


@contextmanager
def fetched(source: str) -> Iterator[Path]:
    """Yields a path to the capture; of a URL its manifest and tables, which is all that an analysis reads.

    Raises UnreadableCapture when it cannot be fetched or is larger than MOST_BYTES.
    """
    if not is_url(source):
        yield Path(source)
        return
    files, place = file_system(source)
    folder = Path(tempfile.mkdtemp(prefix="poolscope-fleet-"))
    try:
        try:
            path = _copy(files, place, folder)
        except (PoolscopeError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - what a file system of something else's raises
            said = " ".join(str(error).split()) or type(error).__name__
            raise UnreadableCapture(f"{source}: cannot be fetched ({said})") from error
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(files: Any, place: str, folder: Path) -> Path:
    name = place.rstrip("/").rsplit("/", 1)[-1] or "capture"
    target = folder / (name if name not in (".", "..") else "capture")
    if place.lower().split("?", 1)[0].endswith(".zip"):
        _copy_file(files, place, target, MOST_BYTES)
        return target
    (target / "tables").mkdir(parents=True)
    left = _copy_file(files, f"{place}/{MANIFEST}", target / MANIFEST, MOST_BYTES)
    # By name, not by listing: a web server lists nothing, and a stranger's listing may name anything.
    for table in load_schema().tables:
        inside = f"tables/{table}.npz"
        try:
            left = _copy_file(files, f"{place}/{inside}", target / inside, left)
        except FileNotFoundError:
            (target / inside).unlink(missing_ok=True)
    return target


def _copy_file(files: Any, place: str, target: Path, most: int) -> int:
    """Copies one file; returns how many bytes of `most` are left."""
    with files.open(place, "rb") as source, open(target, "wb") as copy:
        while block := source.read(BLOCK):
            most -= len(block)
            if most < 0:
                raise UnreadableCapture(f"{place}: more than {MOST_BYTES:,} bytes; Poolscope does not fetch that much")
            copy.write(block)
    return most
