"""Looks at processes and dumps: the collector takes them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.recording.handover import environment
from poolscope.recording.run import COLLECTORS_CODES


def look_at_dump(collector: Path, dump: Path) -> dict[str, Any]:
    """Returns what `poolscope look --json` says of a dump. Raises PoolscopeError if it fails."""
    return look_with(collector, [str(dump)], "report")


def look_with(collector: Path, words: Sequence[str], caller: str) -> dict[str, Any]:
    """Returns what `poolscope look --json` says with these arguments. `caller`: the verb that asks. Raises PoolscopeError
    if it fails."""
    try:
        command = [str(collector), "look", "--json", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment(caller))
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    if done.returncode in COLLECTORS_CODES:
        raise PoolscopeError("nothing was read", ExitCode(done.returncode), said=True)
    if done.returncode != 0:
        raise PoolscopeError(f"the collector ended with exit code {done.returncode}", ExitCode.INTERNAL)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
