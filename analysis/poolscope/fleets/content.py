"""Identifies a result by the content of the capture, the question, and the Poolscope that answers it."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from poolscope.capture.archive import MANIFEST

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
