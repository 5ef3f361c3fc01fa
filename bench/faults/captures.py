"""The state of a capture after a fault."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .processes import COLLECT

DECODE_S = 120


def manifest(folder: Path) -> dict[str, Any]:
    """Returns capture.json, or an empty dict if it cannot be read."""
    try:
        loaded: dict[str, Any] = json.loads((folder / "capture.json").read_text("utf-8"))
        return loaded
    except (OSError, ValueError):
        return {}


def size(folder: Path) -> int:
    """Returns the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def lost(folder: Path) -> int:
    """Returns the number of lost events in the manifest."""
    return sum(stream.get("lost") or 0 for stream in manifest(folder).get("streams", []))


def decodes(folder: Path) -> str:
    """Decodes a capture; returns `tables`, `refused` with one plain line, or the fault."""
    done = subprocess.run(
        [str(COLLECT), "decode", str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DECODE_S,
    )
    lines = done.stderr.strip().splitlines()
    if done.returncode == 0:
        return "tables" if any((folder / "tables").glob("*.npz")) else "no tables"
    plain = done.returncode in (2, 3) and len(lines) == 1 and lines[0].startswith("poolscope-collect: ")
    return "refused" if plain else f"exit code {done.returncode}: {lines[-1] if lines else ''}"


def plain_end(code: int, errors: list[str], allowed: tuple[int, ...]) -> bool:
    """Returns whether a command ended with a documented exit code and gave the reason in plain lines, without a stack
    trace."""
    text = "\n".join(errors)
    return code in allowed and "internal error" not in text and "   at " not in text and "Unhandled" not in text
