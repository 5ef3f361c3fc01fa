"""The `seeds` verb: the published experiments, run again, on one page."""

from __future__ import annotations

import dotnet
import repo
import steps


def run(arguments: list[str]) -> int:
    """Runs `python -m seeds`; arguments go to it."""
    command = [repo.venv_python(), "-m", "seeds", *arguments]
    return steps.call(command, cwd=repo.ROOT / "eval", env=dotnet.environment())
