"""Room for captures: judged ones are kept until they take too much."""

from __future__ import annotations

from pathlib import Path

MOST_BYTES = 20 << 30
"""Limit for all captures together."""
RAW = ("*.nettrace", "*.perf.data")


def make_room(captures: Path, most: int = MOST_BYTES) -> None:
    """Deletes the raw streams of the oldest captures until all take less than `most` bytes. Their tables stay, so that
    they can be judged again."""
    folders = sorted((f for f in captures.glob("*") if f.is_dir()), key=lambda f: f.stat().st_mtime)
    sizes = [_size(list(folder.rglob("*"))) for folder in folders]
    total = sum(sizes)
    for folder in folders[:-1]:
        if total <= most:
            return
        raw = [file for pattern in RAW for file in folder.rglob(pattern)]
        total -= _size(raw)
        for file in raw:
            file.unlink()


def _size(files: list[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())
