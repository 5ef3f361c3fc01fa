"""Run time of `poolscope attribute` on real recordings: a minute of the `handoff` workload, whose items take two
switches and two wake-ups each, and 20 s of the zoo's `lease-timers`, whose items are all callbacks of timers."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recorded
import zoo_runs
from decode.captures import COLLECT, LONGEST_S, WORKLOADS
from decode.goals import row

from .growth import attribute

TIMERS_S = 20


def handoff(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Records the workload, and compares wall time and memory of some analyses with the goals."""
    load = [WORKLOADS, "run", "handoff", "--work-ms", f"{options.minute * 1000:.0f}"]
    return _rows("handoff", lambda: load, 20.0, 2_500.0, options)


def timers(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures the same for timers."""
    return _rows("timers", _timers, 15.0, 2_000.0, options)


def _timers() -> list[object]:
    zoo_runs.publish(recorded.ZOO)
    return [zoo_runs.PUBLISHED / recorded.ZOO[0] / "zoo", "lease-timers", "--seconds", TIMERS_S]


def _rows(
    name: str, load: Callable[[], list[object]], most_s: float, most_mb: float, options: argparse.Namespace
) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / name
        command = [COLLECT, "collect", "--max-size", "16GB", "-o", capture, "--", *load()]
        subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True, timeout=LONGEST_S)
        tables = json.loads((capture / "capture.json").read_text(encoding="utf-8"))["tables"]
        answer = Path(folder) / "analysis.json"
        took = [attribute(capture, answer) for _ in range(options.analyses)]
        content = json.loads(answer.read_text(encoding="utf-8"))
    items, switches, states = (
        f"{tables.get(table, 0) / 1e6:.1f} M {what}"
        for table, what in (("work_items", "items"), ("switches", "switches"), ("thread_states", "states"))
    )
    # Poolscope analyses a part of a recording that does not fit in memory.
    part = f"{content['items']['count'] / 1e6:.1f} of " if "part" in content else ""
    size = f"goal, {part}{items}, {switches}, {states}"
    wall = [t.wall for t in took]
    return [
        row(f"{name}.wall", wall, [most_s] * len(took), size, "s", 1.0),
        row(f"{name}.cpu", [t.cpu for t in took], wall, "the clock", "s", None),
        row(f"{name}.memory", [t.resident / 1e6 for t in took], [most_mb] * len(took), size, "MB", 1.0),
    ]
