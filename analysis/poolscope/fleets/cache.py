"""Rows that are known already, by the content of the capture, the question, and the Poolscope that answers it.

A second question reads no capture, only its bytes.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from poolscope.base.errors import PoolscopeError
from poolscope.base.files import PRIVATE_FOLDER, written_whole
from poolscope.capture.storage import MANIFEST

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
