"""What a worker does with one capture, and the rows that are known already, by the content of the capture, the question, and
the Poolscope that answers it.

A second question reads no capture, only its bytes. A worker answers with plain values only: a client never has to trust its
classes.
"""

from __future__ import annotations

import hashlib
import os
import sys
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
    """Returns a key of the capture's manifest and tables, or of its zip, and of everything else that its row depends on; None
    if it cannot be read, of which the analysis says why."""
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
    """Returns a key of this Poolscope's own code: an answer of another version is never taken for its own, and a worker
    with another version is refused."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        whole.update(file.relative_to(root).as_posix().encode())
        whole.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()[:16]


def cache_folder() -> Path:
    """Returns where results are kept: $POOLSCOPE_CACHE, else `poolscope` in the user's own folder for caches."""
    if told := os.environ.get("POOLSCOPE_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "poolscope" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "poolscope"


class RowCache:
    """Packed rows in a folder that only the user may enter. An unreadable or unwritable entry counts as missing."""

    def __init__(self, folder: Path | None) -> None:
        """Keeps rows in `folder`; None keeps nothing."""
        self._folder = None if folder is None else folder / "fleet"

    def get(self, key: str | None) -> bytes | None:
        """Returns the packed row of a key; None if there is none."""
        if self._folder is None or key is None:
            return None
        try:
            return self._path(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str | None, packed: bytes) -> None:
        """Keeps a row, whole or not at all: other runs may read and write the same folder."""
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
        # Two letters: file systems grow slow with a million names in one folder.
        return self._folder / key[:2] / f"{key}.json.gz"


class Answer(TypedDict):
    """What comes back of one capture."""

    code: str
    """code_key of the Poolscope that made it."""
    key: str | None
    """content_key of the capture."""
    packed: bytes | None
    """Its row; None: it has none."""
    reason: str
    """Why it has none; else empty."""
    cached: bool


def begin(threads: int) -> None:
    """Prepares a process that analyses beside others of one question: `threads` for its stages, and some memory that it keeps."""
    allow_threads(threads)
    keep_memory(KEPT_BYTES)


def answer(source: str, late_ms: float, cache: str | None) -> Answer:
    """Returns the row of a capture at a path or URL that this machine can read. `cache`: folder of known rows; None: none.

    Raises nothing that the capture is to blame for: a capture without a row is an answer, too.
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
    """Returns an error's message without the path at its beginning, which its row has anyway."""
    return message.removeprefix(f"{source}: ")
