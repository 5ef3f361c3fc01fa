"""The native extension (analysis/native), compiled into the source tree, and from there into the wheel for Linux x64. Without it
Python and NumPy do the same, in many times the time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import repo
import steps

SOURCES = repo.PYPROJECT.parent / "native"
FOLDER = repo.PYPROJECT.parent / "poolscope" / "native"
NAME = "extension.abi3.so"
RID = "linux-x64"
""".NET's name of the platform whose wheel brings it."""
TAG = "cp311-abi3"
"""For wheels: CPython 3.11 and later."""


def sources() -> list[Path]:
    """Returns all that decides the bytes of the file, but the compiler."""
    return sorted(file for file in SOURCES.rglob("*") if file.suffix in (".cpp", ".hpp", ".py"))


def set_up() -> bool:
    """Puts the file into the source tree unless it is there; returns whether it tried."""

    def work() -> None:
        start = time.monotonic()
        (FOLDER / NAME).unlink(missing_ok=True)
        if why := make(FOLDER):
            steps.say(f"native extension: not made ({why}); Python and NumPy do the same, later")
        else:
            steps.say(f"native extension: done ({time.monotonic() - start:.1f} s)")

    return steps.once("native", steps.digest(sources(), str(possible())), [FOLDER / NAME] if possible() else [], work)


def possible() -> bool:
    """Returns whether this machine may have what it takes."""
    return sys.platform == "linux" and shutil.which("c++") is not None


def made() -> Path | None:
    """Returns the file; None if it could not be made."""
    return FOLDER / NAME if (FOLDER / NAME).is_file() else None


def make(folder: Path) -> str:
    """Compiles the file; returns why not, or nothing."""
    # Moved there when it is whole: a Python that has the old one open keeps it.
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        command = [repo.venv_python(), SOURCES / "compile.py", unfinished]
        ran = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ran.returncode == 0:
            Path(unfinished, NAME).replace(folder / NAME)
        return (ran.stderr.strip().splitlines() or ["no reason given"])[-1] if ran.returncode else ""
