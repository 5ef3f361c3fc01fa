"""The time from the signal that ends a recording to the prompt: `poolscope-collect collect` records a busy minute, and
has its tables when it ends. Busy means 100,000 items a second, with about one switch each, on a pool with a spare
core."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .captures import COLLECT, WORKLOADS
from .goals import row
from .processes import anonymous

RATE = 100_000
"""Items a second: 6 million in a minute, with 7 million switches."""
MARGIN_S = 30.0
"""The workload outlives its recording, like a service."""
LOAD_STARTS_S = 2.0
LONGEST_S = 300.0
LOOK_S = 0.02
"""Interval between readings of the memory, long enough to cost nothing."""

MOST_S = 2.0
MOST_MEMORY_MB = 500 * 1.048576
"""500 MiB of anonymous memory."""


@dataclass(frozen=True)
class Stopped:
    """`prompt`: seconds from the signal to the end of the process. `streams`: the part of these until every stream had
    ended and the method names were read. `anonymous`: the maximum of bytes after the signal."""

    prompt: float
    streams: float
    anonymous: int
    items: int
    switches: int


def rows(options: argparse.Namespace) -> list[dict[str, object]]:
    """Measures time and memory of some recordings in turn."""
    if options.capture:
        print("bench decode: stop left out: it records again, which --capture forbids")
        return []
    found = [_stopped(options) for _ in range(options.stops)]
    last = found[-1]
    size = f"goal, {last.items / 1e6:.1f} M items, {last.switches / 1e6:.1f} M switches"
    return [
        row("stop.prompt", [f.prompt for f in found], [MOST_S] * len(found), size, "s", 1.0),
        row("stop.streams", [f.streams for f in found], [f.prompt for f in found], "of all", "s", None),
        row("stop.memory", [f.anonymous / 1e6 for f in found], [MOST_MEMORY_MB] * len(found), size, "MB", 1.0),
    ]


def _stopped(options: argparse.Namespace) -> Stopped:
    with _busy(options.minute) as pid, tempfile.TemporaryDirectory() as folder:
        capture = Path(options.keep or folder) / "busy"
        command = [COLLECT, "collect", "-p", pid, "--max-size", "16GB", "-o", capture]
        recorder = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(options.minute)
        return _stop(recorder, capture)


def _stop(recorder: subprocess.Popen[bytes], capture: Path) -> Stopped:
    """Ends a recording and waits for its tables."""
    asked = time.clock_gettime(time.CLOCK_MONOTONIC)
    recorder.send_signal(signal.SIGTERM)
    most = 0
    while recorder.poll() is None:
        most = max(most, anonymous(recorder.pid))
        if time.clock_gettime(time.CLOCK_MONOTONIC) - asked > LONGEST_S:
            recorder.kill()
        time.sleep(LOOK_S)
    ended = time.clock_gettime(time.CLOCK_MONOTONIC)
    if recorder.returncode != 0:
        raise SystemExit(f"bench decode: the busy minute could not be recorded: exit code {recorder.returncode}")
    manifest = json.loads((capture / "capture.json").read_text(encoding="utf-8"))
    streams = max(phase["end_ns"] for phase in manifest["phases"]) / 1e9
    tables = manifest["tables"]
    return Stopped(ended - asked, streams - asked, most, tables["work_items"], tables.get("switches", 0))


@contextmanager
def _busy(seconds: float) -> Iterator[int]:
    """Yields the id of a process whose pool is busy for more than `seconds`."""
    length = 1000 * (seconds + LOAD_STARTS_S + MARGIN_S)
    command = [WORKLOADS, "run", "paced", "--rate", RATE, "--work-ms", f"{length:.0f}"]
    load = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        time.sleep(LOAD_STARTS_S)
        yield load.pid
    finally:
        if load.poll() is None:
            os.kill(load.pid, signal.SIGTERM)
        load.wait()
