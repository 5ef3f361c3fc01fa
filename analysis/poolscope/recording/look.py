"""Looks at processes and dumps: the collector takes them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.recording.run import COLLECTORS_CODES


def look_here(collector: Path, words: Sequence[str]) -> None:
    """Runs `poolscope-collect look` with these words; what it prints goes where this process prints.

    Raises PoolscopeError if it fails, with its own exit code, when it has said why.
    """
    _run(collector, words, None)


def look_at_dump(collector: Path, dump: Path) -> dict[str, Any]:
    """Returns what `poolscope-collect look --json` says of a dump. Raises PoolscopeError if it fails."""
    found: dict[str, Any] = json.loads(_run(collector, ["--json", str(dump)], subprocess.PIPE))
    return found


def _run(collector: Path, words: Sequence[str], output: int | None) -> str:
    try:
        done = subprocess.run([str(collector), "look", *words], stdout=output, text=True, errors="replace")
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    if done.returncode in COLLECTORS_CODES:
        raise PoolscopeError("nothing was read", ExitCode(done.returncode), said=True)
    if done.returncode != 0:
        raise PoolscopeError(f"the collector ended with exit code {done.returncode}", ExitCode.INTERNAL)
    return done.stdout or ""
