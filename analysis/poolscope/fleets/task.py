"""Analyses one capture on a worker, and caches its row by the content of the capture, the question and the Poolscope
version.

A repeated question does not analyse a capture again; it only hashes its bytes. A worker answers with plain values, so a
client never has to trust the worker's classes.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TypedDict

from poolscope.base.errors import PoolscopeError
from poolscope.base.files import PRIVATE_FOLDER, written_whole
from poolscope.base.heap import KEPT_BYTES, keep_memory
from poolscope.base.stages import allow_threads
from poolscope.capture.storage import MANIFEST
from poolscope.fleets.extract import extract
from poolscope.fleets.row import pack
from poolscope.fleets.sources import fetched

BLOCK = 1 << 20


def content_key(path: Path, late_ms: float) -> str | None:
    """Returns a key of the capture's manifest and tables, or of its zip, and of everything else that its row depends
    on.

    Returns None if the capture cannot be read; the analysis then reports why.
    """
    whole = hashlib.sha256(f"{code_key()} {late_ms!r}".encode())
    try:
        if path.is_file():
            _add(whole, path)
        else:
            tables = path / "tables"
            for file in [path / MANIFEST, *sorted(tables.iterdir())]:
                if not file.is_file() or file.is_symlink():
                    return None
                whole.update(f"\n{file.name} ".encode("utf-8", "surrogateescape"))
                _add(whole, file)
    except OSError:
        return None
    return whole.hexdigest()


def _add(whole: "hashlib._Hash", path: Path) -> None:
    """Adds the size and the content of a file."""
    with open(path, "rb") as file:
        whole.update(f"{os.fstat(file.fileno()).st_size}\n".encode())
        while block := file.read(BLOCK):
            whole.update(block)


@cache
def code_key() -> str:
    """Returns a key of this Poolscope's own code. A cached answer from another version is not used, and a worker with
    another version is refused."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        whole.update(file.relative_to(root).as_posix().encode())
        whole.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()[:16]


class RowCache:
    """Packed rows in a folder that only the user can enter. An unreadable or unwritable entry counts as missing."""

    def __init__(self, folder: Path | None) -> None:
        """Caches rows in `folder`. None caches nothing."""
        self._folder = None if folder is None else folder / "fleet"

    def get(self, key: str | None) -> bytes | None:
        """Returns the packed row of a key, or None if there is none."""
        if self._folder is None or key is None:
            return None
        try:
            return self._path(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str | None, packed: bytes) -> None:
        """Caches a row completely or not at all: other runs may read and write the same folder."""
        if self._folder is None or key is None:
            return
        path = self._path(key)
        try:
            path.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            with written_whole(path) as temporary:
                temporary.write_bytes(packed)
        except (OSError, PoolscopeError):
            return

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        # Subfolders of two letters: file systems become slow with a million names in one folder.
        return self._folder / key[:2] / f"{key}.json.gz"


class Answer(TypedDict):
    """The result for one capture."""

    code: str
    """The code_key of the Poolscope that made it."""
    key: str | None
    """The content_key of the capture."""
    packed: bytes | None
    """The row, or None if there is none."""
    reason: str
    """Why there is no row, otherwise empty."""
    cached: bool


def begin(threads: int) -> None:
    """Prepares a process that analyses alongside others of one question: `threads` for its stages, and some memory to
    keep."""
    allow_threads(threads)
    keep_memory(KEPT_BYTES)


def answer(source: str, late_ms: float, cache: str | None) -> Answer:
    """Returns the row of a capture at a path or URL that this machine can read. `cache` is a folder of known rows, or
    None.

    A fault of the capture raises nothing: it gives an answer without a row.
    """
    key = None
    kept = RowCache(None if cache is None else Path(cache))
    try:
        with fetched(source) as path:
            key = content_key(path, late_ms)
            packed = kept.get(key)
            if packed is not None:
                return Answer(code=code_key(), key=key, packed=packed, reason="", cached=True)
            packed = pack(extract(path, late_ms))
    except PoolscopeError as error:
        return _refused(key, _without(source, str(error)))
    except MemoryError:
        return _refused(key, "larger than the memory of its worker")
    except Exception as error:  # noqa: BLE001 - one capture may not end the question of all others
        said = " ".join(str(error).split())
        return _refused(key, f"internal error: {type(error).__name__}: {said}"[:500])
    kept.put(key, packed)
    return Answer(code=code_key(), key=key, packed=packed, reason="", cached=False)


def _refused(key: str | None, reason: str) -> Answer:
    return Answer(code=code_key(), key=key, packed=None, reason=reason, cached=False)


def _without(source: str, message: str) -> str:
    """Returns an error's message without the leading path, which its row has anyway."""
    return message.removeprefix(f"{source}: ")
