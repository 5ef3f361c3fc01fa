"""Run time of `poolscope attribute` as captures grow. The captures are made of arrays and analysed several times in
turn."""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from decode.goals import row
from decode.processes import Took, run
from report import large_capture

ROOT = Path(__file__).resolve().parents[2]
POOLSCOPE = ROOT / "bin" / "poolscope"

SIZES = (10_000, 100_000, 1_000_000, 3_000_000)
GOALS_S = {100_000: 4.0, 1_000_000: 8.0}
GOALS_MB = {1_000_000: 1_200.0}
WARM_ITEMS = 2_000


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures wall time, CPU time and memory for each number of items. The peer is the goal; rows without a goal have
    CPU time."""
    found: dict[int, list[Took]] = {items: [] for items in sorted(options.items)}
    with tempfile.TemporaryDirectory() as folder:
        for items in (WARM_ITEMS, *found):
            make(Path(folder) / str(items), items)
        output = Path(folder) / "analysis.json"
        attribute(Path(folder) / str(WARM_ITEMS), output)  # keeps the code compiled at the first use
        for _ in range(options.analyses):
            for items, took in found.items():
                took.append(attribute(Path(folder) / str(items), output))
    return [each for items, took in found.items() for each in _rows(items, took)]


def make(capture: Path, items: int) -> None:
    """Makes a capture of arrays in a separate process, because the kernel counts this process's memory in processes
    that it starts later."""
    maker = multiprocessing.get_context("spawn").Process(target=large_capture.make, args=(capture, items))
    maker.start()
    maker.join()
    if maker.exitcode:
        raise RuntimeError(f"a capture of {items:,} items could not be made (exit code {maker.exitcode})")


def _rows(items: int, took: list[Took]) -> list[dict[str, Any]]:
    wall, cpu = [t.wall for t in took], [t.cpu for t in took]
    most = [t.resident / 1e6 for t in took]
    goal_s, goal_mb = GOALS_S.get(items), GOALS_MB.get(items)
    return [
        against_goal(f"growth.{items}.wall", wall, goal_s, "s"),
        against_goal(f"growth.{items}.cpu", cpu, None, "s"),
        against_goal(f"growth.{items}.memory", most, goal_mb, "MB"),
    ]


def against_goal(name: str, ours: list[float], goal: float | None, unit: str) -> dict[str, Any]:
    """Makes a row without a peer; if `goal` is None, without a goal either."""
    if goal is None:
        return row(name, ours, [statistics.median(ours)] * len(ours), "no peer", unit, None)
    return row(name, ours, [goal] * len(ours), "goal", unit, 1.0)


def attribute(capture: Path, output: Path, environment: Mapping[str, str] | None = None) -> Took:
    """Analyses a capture with Python's cache of compiled code. `environment` holds additional variables."""
    setting = [
        "env",
        "-u",
        "PYTHONDONTWRITEBYTECODE",
        *(f"{name}={value}" for name, value in (environment or {}).items()),
    ]
    return run([*setting, POOLSCOPE, "attribute", capture, "-o", output], accepted=(0, 4))
