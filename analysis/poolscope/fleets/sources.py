"""Finds the captures of a fleet and makes each readable.

Captures are folders, zips, globs, and URLs of any file system that fsspec supports. A path is read in place. A URL is
copied, up to a limit, into a private folder that is removed afterwards.
"""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from poolscope.base.errors import ExitCode, PoolscopeError, UnreadableCapture
from poolscope.capture.schema import load_schema
from poolscope.capture.storage import MANIFEST

INSTALL = "pip install 'poolscope[fleet]' (Debian: apt-get install python3-dask python3-distributed python3-fsspec)"
MOST_CAPTURES = 1_000_000
"""The largest number of captures for one question. A row takes 10 kB of memory."""
_MAGIC = frozenset("*?[")


def is_url(word: str) -> bool:
    """Returns whether a word names a file system, such as `s3://bucket/key`, rather than a path."""
    return "://" in word


def find_sources(words: Iterable[str]) -> list[str]:
    """Returns the captures that the words name, each once and in order, as paths and URLs.

    A word is a capture (folder or zip), a folder of captures, or a glob of either. Any other path is kept and becomes a
    row that says why it cannot be read. Raises PoolscopeError if a URL needs a package that is not installed, or if
    there are too many captures.
    """
    found: dict[str, None] = {}
    for word in words:
        for source in _of_url(word) if is_url(word) else _of_path(word):
            found[source] = None
            if len(found) > MOST_CAPTURES:
                raise PoolscopeError(f"more than {MOST_CAPTURES:,} captures: ask in parts", ExitCode.USAGE)
    return list(found)


def _of_path(word: str) -> Iterator[str]:
    if _MAGIC & set(word) and not Path(word).exists():
        matches = sorted(glob.glob(word, recursive=True))
        # A glob without a match is a row too, so that a misspelt glob does not silently shrink the fleet.
        yield from (source for match in matches for source in _in_folder(Path(match))) if matches else [word]
    else:
        yield from _in_folder(Path(word))


def _in_folder(path: Path) -> Iterator[str]:
    """Yields the path itself if it is a capture, or the captures one level below."""
    if (path / MANIFEST).exists() or not path.is_dir():
        yield str(path)
        return
    inside = [
        child
        for child in sorted(path.iterdir())
        if (child / MANIFEST).exists() or (child.suffix.lower() == ".zip" and child.is_file())
    ]
    yield from map(str, inside or [path])


def _of_url(word: str) -> Iterator[str]:
    files, place = file_system(word)
    try:
        yield from _in_store(files, place, word)
    except PoolscopeError:
        raise
    except Exception:  # noqa: BLE001 - every file system has errors of its own, and the capture's row will say which
        yield word


def _in_store(files: Any, place: str, word: str) -> Iterator[str]:
    matches = sorted(files.glob(place)) if _MAGIC & set(place) else [place]
    if not matches:
        yield word
    for match in matches:
        if str(match).lower().endswith(".zip") or files.exists(f"{match}/{MANIFEST}"):
            yield files.unstrip_protocol(match) if "://" not in str(match) else str(match)
            continue
        below = sorted(files.ls(match, detail=False)) if files.isdir(match) else []
        inside = [
            child for child in below if str(child).lower().endswith(".zip") or files.exists(f"{child}/{MANIFEST}")
        ]
        for child in inside or [match]:
            yield files.unstrip_protocol(child) if "://" not in str(child) else str(child)


def file_system(url: str) -> tuple[Any, str]:
    """Returns the file system of a URL and the path in it. Raises PoolscopeError if a package is missing,
    UnreadableCapture if there is no such file system."""
    try:
        import fsspec
    except ImportError as error:
        raise PoolscopeError(f"{url}: URLs need fsspec, which is not installed: {INSTALL}", ExitCode.USAGE) from error
    try:
        files, place = fsspec.core.url_to_fs(url)
    except ImportError as error:
        scheme = url.split("://", 1)[0]
        said = " ".join(str(error).split())
        raise PoolscopeError(f"{url}: the package for {scheme}:// is not installed: {said}", ExitCode.USAGE) from error
    except Exception as error:  # noqa: BLE001 - what a file system of something else's raises
        raise UnreadableCapture(f"{url}: {' '.join(str(error).split())}") from error
    return files, str(place)


MOST_BYTES = 4 << 30
"""The largest download for one capture's tables or zip, bytes: 40 times the tables of a busy minute."""
BLOCK = 1 << 20


@contextmanager
def fetched(source: str) -> Iterator[Path]:
    """Yields a path to the capture. From a URL, only the manifest and the tables are fetched, because an analysis reads
    no more.

    Raises UnreadableCapture if the capture cannot be fetched or is larger than MOST_BYTES.
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
    # By name, not by listing: a web server lists nothing, and an untrusted listing may name anything.
    for table in load_schema().tables:
        inside = f"tables/{table}.npz"
        try:
            left = _copy_file(files, f"{place}/{inside}", target / inside, left)
        except FileNotFoundError:
            (target / inside).unlink(missing_ok=True)
    return target


def _copy_file(files: Any, place: str, target: Path, most: int) -> int:
    """Copies one file. Returns how many bytes of `most` are left."""
    with files.open(place, "rb") as source, open(target, "wb") as copy:
        while block := source.read(BLOCK):
            most -= len(block)
            if most < 0:
                raise UnreadableCapture(f"{place}: more than {MOST_BYTES:,} bytes; Poolscope does not fetch that much")
            copy.write(block)
    return most
