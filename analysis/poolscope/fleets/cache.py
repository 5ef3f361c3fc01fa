"""Rows that are known already, by the content of their captures: a second question reads no capture, only its bytes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from poolscope.base.files import PRIVATE_FOLDER, written_whole
from poolscope.base.errors import PoolscopeError


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
