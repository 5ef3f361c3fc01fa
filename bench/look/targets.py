"""The programs that the benchmark looks at."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ROOT / "artifacts" / "bin"
COLLECT = Path(os.environ.get("COLLECT", _BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"))
"""Set COLLECT to a published file (`./build.sh pack`) to measure the users' program: machine code, not compiled at each
start."""
TARGET = _BUILT / "Poolscope.Collect.Tests.Target" / "release" / "Poolscope.Collect.Tests.Target"
CENSUS = _BUILT / "Poolscope.QueueCensus" / "release" / "Poolscope.QueueCensus.dll"
ZOO = ROOT / "artifacts" / "zoo"


@contextmanager
def running(
    command: list[str], environment: Mapping[str, str] | None = None, wait: bool = True
) -> Iterator[subprocess.Popen[str]]:
    """Runs a program and ends it. If `wait`, waits until it has printed its first line."""
    output = subprocess.PIPE if wait else subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        if process.stdout is not None:
            process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
