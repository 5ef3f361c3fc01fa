"""Machine code that the build made beforehand of sources in this package: found by a digest of these sources."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

BUILT = Path(__file__).resolve().parents[3] / ".cache"
"""Where the build puts it in the source tree, in a folder of its own each."""


def file_name(stem: str, sources: Iterable[Path]) -> str:
    """Names a file after the sources that it is made of: after a change of any of them another file is searched for."""
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{stem}-{digest.hexdigest()[:16]}.so"


def load(name: str, folders: Iterable[Path]) -> ctypes.CDLL | None:
    """Returns the file of this name in the first of the folders that has one; None on a machine for which none is made (all but
    Linux x64), and where none is there or loads."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    for folder in folders:
        try:
            return ctypes.CDLL(str(folder / name))
        except OSError:  # none there, or of a libc that has other names
            continue
    return None
