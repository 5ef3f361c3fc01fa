"""The collector is killed at a random time after its start."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, alive, collector, end, leftovers, sessions, suspended, target, wait_until

TIMES = 200
LATEST_S = 3.0
AT_A_TIME = 2
LIFE_MS = 60_000


def run(count: int) -> list[Outcome]:
    """Kills collectors: one half launched their targets, the other half attached."""
    before = leftovers()
    rows = kills(count or TIMES, recording=False)
    left = wait_until(lambda: not leftovers() - before, 10) or len(leftovers() - before)
    rows.append(
        Outcome(
            "the same: what is left in /tmp",
            "the guard of the launch removes the port's folder when the last process of the command has ended",
            "no folder" if left is True else f"{left} folders",
            left is True,
        )
    )
    return rows


def kills(count: int, recording: bool) -> list[Outcome]:
    """Returns one row for launched targets and one for attached ones.

    If `recording`, the time counts from the begin of the first stream, not from the collector's start.
    """
    moments = random.Random(15)
    delays = [moments.uniform(0, LATEST_S) for _ in range(count)]
    half = len(delays) // 2
    return [
        _row("launched", _launched, delays[:half], recording),
        _row("attached", _attached, delays[half:], recording),
    ]


def _row(how: str, once: Callable[[Path, float, bool], Counter[str]], delays: list[float], recording: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, ThreadPoolExecutor(AT_A_TIME) as pool:
        places = [Path(folder) / str(i) for i in range(len(delays))]
        total: Counter[str] = sum(pool.map(once, places, delays, [recording] * len(delays)), Counter())
    harmed = {key: n for key, n in total.items() if key.startswith("BAD ")}
    said = ", ".join(f"{n} {key.removeprefix('BAD ')}" for key, n in sorted(total.items()) if n)
    since = "its first stream began" if recording else "its start"
    return Outcome(
        f"collector killed (SIGKILL) 0 to {LATEST_S:.0f} s after {since}, target {how}",
        "the target goes on, its sessions end, what was written decodes or is refused in one line",
        f"{len(delays)} kills: {said}",
        not harmed,
    )


def _wait(place: Path, delay: float, recording: bool) -> None:
    if recording:
        wait_until(lambda: (place / "runtime.nettrace").exists())
    time.sleep(delay)


def _launched(place: Path, delay: float, recording: bool) -> Counter[str]:
    tool = collector("collect", "-o", place, "--", *target("beat", LIFE_MS))
    _wait(place, delay, recording)
    os.kill(tool.pid, signal.SIGKILL)
    tool.process.wait()
    # The program's first line is its pid. A runtime that waited seconds for its resume prints a line of its own before
    # that. A program that was not started yet never will be, and then no process holds the pipe.
    wait_until(lambda: bool(_pids(tool)) or tool.silent_for_good, 20)
    pids = _pids(tool)
    if not pids:
        return Counter({"before the program was started" if tool.silent_for_good else "BAD not resumed": 1})
    return _judge(tool, pids[0], place)


def _pids(tool: Program) -> list[int]:
    return [int(line) for line in tool.lines[:2] if line.isdigit()]


def _attached(place: Path, delay: float, recording: bool) -> Counter[str]:
    program = Program(target("beat", LIFE_MS))
    wait_until(lambda: bool(program.lines))
    tool = collector("collect", "-o", place, "-p", program.pid)
    _wait(place, delay, recording)
    os.kill(tool.pid, signal.SIGKILL)
    tool.process.wait()
    found = _judge(program, program.pid, place)
    program.kill()
    return found


def _judge(program: Program, pid: int, place: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    if not program.goes_on():
        found["BAD suspended" if suspended(pid) else "BAD silent" if alive(pid) else "BAD ended"] += 1
    if not wait_until(lambda: sessions(pid) == 0, 10):
        found["BAD sessions left"] += 1
    end(pid)
    if not (place / "capture.json").exists():
        found["before there was a capture"] += 1
        return found
    decoded = captures.decodes(place)
    found[{"tables": "decoded", "refused": "refused plainly"}.get(decoded, f"BAD {decoded}")] += 1
    return found
