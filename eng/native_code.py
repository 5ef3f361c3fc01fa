"""The native extension (analysis/native), compiled into the source tree, and copied from there into the wheel for Linux
x64. Without it Python and NumPy compute the same results, many times slower."""

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
""".NET's name of the platform whose wheel contains the extension."""
TAG = "cp311-abi3"
"""For wheels: CPython 3.11 and later."""


def sources() -> list[Path]:
    """Returns everything that determines the bytes of the file, except the compiler."""
    return sorted(file for file in SOURCES.rglob("*") if file.suffix in (".cpp", ".hpp", ".py"))


def set_up() -> bool:
    """Compiles the file into the source tree unless it is there; returns whether it tried."""

    def work() -> None:
        start = time.monotonic()
        (FOLDER / NAME).unlink(missing_ok=True)
        if why := make(FOLDER):
            steps.say(f"native extension: not made ({why}); Python and NumPy do the same, later")
        else:
            steps.say(f"native extension: done ({time.monotonic() - start:.1f} s)")

    return steps.once("native", steps.digest(sources(), str(possible())), [FOLDER / NAME] if possible() else [], work)


def possible() -> bool:
    """Returns whether this machine may be able to compile it."""
    return sys.platform == "linux" and shutil.which("c++") is not None


def made() -> Path | None:
    """Returns the file, or None if it could not be compiled."""
    return FOLDER / NAME if (FOLDER / NAME).is_file() else None


def make(folder: Path) -> str:
    """Compiles the file; returns the reason of a failure, or an empty string."""
    # The finished file is moved into place: a Python that has the old one open keeps it.
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        command = [repo.venv_python(), SOURCES / "compile.py", unfinished]
        ran = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ran.returncode == 0:
            Path(unfinished, NAME).replace(folder / NAME)
        return (ran.stderr.strip().splitlines() or ["no reason given"])[-1] if ran.returncode else ""
