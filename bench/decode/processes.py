"""Runs a program to its end and measures its time and memory."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_S = 300
LOOK_S = 0.002
"""Interval between readings of a process's memory. A runtime that doubles an array holds both halves for longer."""


@dataclass(frozen=True)
class Took:
    """The cost of one run. Fields `wall` and `cpu` are seconds, the latter of all its threads in user and kernel mode.
    Field `anonymous` is the maximum of anonymous bytes, or 0 if its memory was not watched. Field `resident` is the
    maximum of all resident bytes, mapped files included. Field `output` is the text that it printed."""

    wall: float
    cpu: float
    anonymous: int
    resident: int
    output: str


def run(command: Sequence[object], *, watch: bool = False, accepted: Sequence[int] = (0,)) -> Took:
    """Runs a command. If `watch`, reads its memory throughout, which takes CPU time, so its times are then no
    measurement. Raises SystemExit if the command's exit code is not one of `accepted`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        most = 0
        if watch:
            most, status, usage = _watched(process.pid, start)
        else:
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            errors.seek(0)
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {process.returncode}: {errors.read()[-500:]!r}")
        out.seek(0)
        return Took(wall, usage.ru_utime + usage.ru_stime, most, usage.ru_maxrss * 1024, out.read().decode())


def _watched(pid: int, start: float) -> tuple[int, int, resource.struct_rusage]:
    most = 0
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return most, status, usage
        most = max(most, anonymous(pid))
        if time.monotonic() - start > LONGEST_S:
            os.kill(pid, 9)
        time.sleep(LOOK_S)


def anonymous(pid: int) -> int:
    """Returns the resident anonymous memory of a process in bytes: its allocations, without mapped files; 0 if it has
    ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
