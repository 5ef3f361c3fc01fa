"""The searches of the analysis as machine code for Linux x64, made of their C source: in .cache for the source tree, and in the
wheel for that platform. Without it NumPy does the same, in several times the time."""

from __future__ import annotations

import shutil
from pathlib import Path

import replay_code
import repo
import steps

FOLDER = repo.CACHE / "searches"
SOURCE = repo.PYPROJECT.parent / "poolscope" / "base" / "searches.c"
# No number may depend on the machine that it was made on: none is contracted, no other processor is asked for.
OPTIONS = ["-shared", "-fPIC", "-O2", "-ffp-contract=off", "-march=x86-64", "-s", "-Wl,--build-id=none", "-Wl,-z,defs"]


def set_up() -> bool:
    """Puts the file into .cache/searches unless it is there; returns whether it tried."""
    if not replay_code.possible():
        return False

    def work() -> None:
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        why = make(FOLDER)
        steps.say(f"searches: not made ({why}); NumPy does the same" if why else "searches: done")

    return steps.once("searches", steps.digest([SOURCE, Path(__file__)]), [FOLDER], work)


def made() -> Path | None:
    """Returns the file; None if it could not be made."""
    return next(FOLDER.glob("searches-*.so"), None)


def make(folder: Path) -> str:
    """Makes the file; returns why not, or nothing."""
    ask = "from poolscope.base import searches as s; print(s.file_name('searches', [s.SOURCE]))"
    name = replay_code.output([repo.venv_python(), "-c", ask]).stdout.strip()
    compiled = replay_code.output(["cc", *OPTIONS, SOURCE, "-o", folder / name])
    return replay_code.reason(compiled.stderr) if compiled.returncode else ""
