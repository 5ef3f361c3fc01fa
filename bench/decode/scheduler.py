"""The scheduler's stream: the losses and the size of a flood of switches, and the speed of `poolscope-collect decode`
compared with `perf script` and `perf sched timehist` on the same file. Poolscope writes tables; perf prints lines,
which are discarded here."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .captures import COLLECT, LONGEST_S, WORKLOADS, alone
from .goals import row
from .processes import run

STREAM = "sched.perf.data"
STREAMS = (STREAM, "sched.meta.json")
SWITCHING = Path(__file__).with_name("switching.py")

MOST_OF_ITS_TIME = 0.15
"""Five times the speed of perf script."""
MOST_MEMORY_MB = 300 * 1.048576
"""300 MiB of anonymous memory for 8.4 million events."""
MOST_RAW, MOST_TABLES = 100.0, 40.0
"""Bytes per switch, with its wake-up and the states of its threads."""
LOOKS = 3
MARGIN_S = 2.0
"""The recording begins this long before the flood and ends this long after it."""


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures losses and sizes of one recording, times of pairs, and memory. Returns no rows without perf or root."""
    perf = shutil.which("perf")
    if perf is None:
        print("bench decode: scheduler left out: there is no perf here")
        return []
    with _recorded(options) as capture, alone(capture, STREAMS) as folder:
        script: list[str | Path] = [perf, "script", "-i", folder / STREAM, "-F", "comm,tid,time,event"]
        hist: list[str | Path] = [perf, "sched", "timehist", "-i", folder / STREAM]
        decode = [COLLECT, "decode", folder]
        ours, printed, listed = [], [], []
        for _ in range(options.pairs):
            ours.append(run(decode))
            printed.append(_silent(script))
            listed.append(_silent(hist))
        most = [run(decode, watch=True).anonymous / 1e6 for _ in range(LOOKS)]
        manifest = json.loads((folder / "capture.json").read_text(encoding="utf-8"))
        [stream] = [s for s in manifest["streams"] if s["file"] == STREAM]
        switches, events = manifest["tables"]["switches"], stream["events"]
        tables = sum(
            (folder / "tables" / f"{name}.npz").stat().st_size for name in ("switches", "wakeups", "thread_states")
        )
    millions = f"{events / 1e6:.1f} M events"
    return [
        row("scheduler.lost", [stream["lost"]], [events], millions, "events", 0.0),
        row("scheduler.raw_per_switch", [stream["bytes"] / switches], [MOST_RAW], "goal", "B", 1.0),
        row("scheduler.tables_per_switch", [tables / switches], [MOST_TABLES], "goal", "B", 1.0),
        row("scheduler.wall", [t.wall for t in ours], printed, "perf script", "s", MOST_OF_ITS_TIME),
        row("scheduler.wall_of_timehist", [t.wall for t in ours], listed, "perf sched timehist", "s", None),
        row("scheduler.memory", most, [MOST_MEMORY_MB] * LOOKS, f"goal, {millions}", "MB", 1.0),
    ]


def _silent(command: list[str | Path]) -> float:
    """Times a command and discards its output, which is gigabytes."""
    return run(["sh", "-c", 'exec "$@" > /dev/null', "sh", *command]).wall


@contextmanager
def _recorded(options: argparse.Namespace) -> Iterator[Path]:
    """Yields the capture that `options` names, or a new one."""
    if options.capture:
        yield options.capture
        return
    with tempfile.TemporaryDirectory() as folder, flooded(Path(options.keep or folder), options.switching) as capture:
        yield capture


@contextmanager
def flooded(folder: Path, seconds: float) -> Iterator[Path]:
    """Yields a capture, without tables, of a quiet target beside a flood of switches of this length."""
    capture = folder / "switches"
    length = seconds + 2 * MARGIN_S
    target = [WORKLOADS, "run", "paced", "--rate", "10", "--work-ms", f"{length * 1000:.0f}"]
    command = [COLLECT, "collect", "--no-decode", "--max-size", "64GB", "-o", capture, "--", *target]
    recorder = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    try:
        flood = f"import time; time.sleep({MARGIN_S}); import runpy; runpy.run_path({str(SWITCHING)!r}, run_name='__main__')"
        said = subprocess.run(
            [sys.executable, "-c", flood, str(seconds)], check=True, capture_output=True, timeout=LONGEST_S
        )
        print(f"bench decode: {int(said.stdout):,} switches/s while recorded", file=sys.stderr)
    finally:
        if recorder.wait(LONGEST_S) != 0:
            raise SystemExit("bench decode: the flood of switches could not be recorded")
    yield capture
