"""The program that is published for each supported runtime."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from . import paths


@cache
def published(framework: str) -> Path:
    """Returns the program for a framework such as net8.0, published self-contained unless the sources are unchanged.

    Raises CalledProcessError if its runtime is unavailable.
    """
    program = paths.PUBLISHED / framework / "runtimes-target"
    newest = max(source.stat().st_mtime for source in paths.RUNTIMES.iterdir() if source.is_file())
    if not program.exists() or program.stat().st_mtime < newest:
        command = ["dotnet", "publish", str(paths.RUNTIMES), "-c", "Release", "-f", framework, "--use-current-runtime"]
        subprocess.run([*command, "-o", str(program.parent), "-nologo", "-v", "quiet"], check=True)
        program.touch()
    return program
