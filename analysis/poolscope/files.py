"""Writing results."""

from __future__ import annotations

import os
from pathlib import Path

from poolscope.errors import InvalidArgument


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all. Raises InvalidArgument when it cannot be written."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InvalidArgument(f"cannot write {path}: {error.strerror or error}") from error
