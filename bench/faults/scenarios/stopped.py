"""The collector, or the program that it records, is stopped for a while by a signal (SIGSTOP, SIGCONT)."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

STOPPED_S = 6.0
BEFORE_S = 3.0
"""Time over which the target's usual CPU use is measured; other work on the machine affects both measurements."""


def run(count: int) -> list[Outcome]:
    return [_collector_stopped(), _target_stopped()]


def _start(folder: str, verb: str, *options: object) -> tuple[Program, Program, Path]:
    place = Path(folder) / "capture"
    program = Program(target(verb, 60_000))
    wait_until(lambda: bool(program.lines))
    tool = collector("collect", "-o", place, "-p", program.pid, *options)
    wait_until(lambda: (place / "runtime.nettrace").exists() and (place / "runtime.nettrace").stat().st_size > 2000)
    time.sleep(1)
    return program, tool, place


def _collector_stopped() -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        # A small buffer in the target is full before the collector continues.
        program, tool, place = _start(folder, "flood", "--buffersize", "4")
        usual = _cores(program.pid, BEFORE_S)
        os.kill(tool.pid, signal.SIGSTOP)
        used = _cores(program.pid, STOPPED_S)
        os.kill(tool.pid, signal.SIGCONT)
        time.sleep(1)
        tool.process.send_signal(signal.SIGTERM)
        code = tool.finish(120)
        program.kill()
        told = captures.manifest(place)
        return Outcome(
            f"collector stopped for {STOPPED_S:.0f} s (SIGSTOP) while the target queues as fast as it can",
            "the target goes on and its events are dropped; the manifest counts them and says `incomplete`, and so does the last warning",
            f"target used {used:.2f} cores meanwhile, {usual:.2f} before; {captures.lost(place):,} events lost, status {told.get('status')}, exit code {code}",
            used > usual / 2 > 0 and captures.lost(place) > 0 and told.get("status") == "incomplete" and code == 0,
        )


def _cores(pid: int, seconds: float) -> float:
    """Returns the CPU use of a process over the next `seconds`, in cores."""
    before = _cpu(pid)
    time.sleep(seconds)
    return (_cpu(pid) - before) / seconds


def _target_stopped() -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        program, tool, place = _start(folder, "beat")
        os.kill(program.pid, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        os.kill(program.pid, signal.SIGCONT)
        goes_on = program.goes_on()
        tool.process.send_signal(signal.SIGTERM)
        code = tool.finish(120)
        program.kill()
        told = captures.manifest(place)
        return Outcome(
            f"target stopped for {STOPPED_S:.0f} s (SIGSTOP)",
            "it goes on afterwards, and the capture is whole: its threads are blocked meanwhile",
            f"goes on: {goes_on}; status {told.get('status')}, {captures.lost(place)} events lost, exit code {code}",
            goes_on and told.get("status") == "complete" and code == 0,
        )


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
