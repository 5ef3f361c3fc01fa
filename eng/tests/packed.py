"""The output of `./build.sh pack`, for the tests of several files.

A run of all tests packs beforehand; a smaller run packs once per process.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import repo
import testing


def run(*command, **options):
    """Returns the stdout of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@cache
def said() -> tuple[str, ...]:
    """Returns the lines that the verb prints."""
    if file := os.environ.get(testing.PACKED):
        return tuple(Path(file).read_text("utf-8").splitlines())
    return tuple(run(sys.executable, repo.ROOT / "eng" / "build.py", "pack").splitlines())


def files() -> list[Path]:
    """Returns the packages that these lines name."""
    lines = said()
    at, install = lines.index("pack: artifacts/pack/"), lines.index("install (docs/installing.md):")
    names = [line.split()[0] for line in lines[at + 1 : install]]
    found = [repo.ROOT / "artifacts" / "pack" / name for name in names]
    return [file for file in found if file.is_file()]
