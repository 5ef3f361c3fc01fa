"""Writing results, and never into the evidence that they come from."""

from __future__ import annotations

import os
from pathlib import Path

from poolscope.errors import InvalidArgument


def keep_out_of_evidence(output: Path, *captures: Path) -> None:
    """Raises InvalidArgument when `output` is one of the captures (folders or zips) or lies inside one.

    A capture is evidence: whoever gets it must find what the collector wrote and nothing else.
    """
    place = output.resolve()
    for capture in captures:
        evidence = capture.resolve()
        if place == evidence or evidence in place.parents:
            raise InvalidArgument(
                f"cannot write {output}: it belongs to the capture {capture}, which is only read; choose another place"
            )


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all. Raises InvalidArgument when it cannot be written."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InvalidArgument(f"cannot write {path}: {error.strerror or error}") from error
