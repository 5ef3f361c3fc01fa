"""The verdicts of comparisons between the captures, and the scatter of unchanged runs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from poolscope.capture import open_capture
from poolscope.compare import ComparedRun, compare_runs, judge, load_run
from poolscope.compare.judge import LONGER, SHORTER
from poolscope.compare.quantity import QUANTITIES, Scale
from poolscope.executions.items import load_items

from . import plan
from .capturing import NOTE

NORMAL = 1.96
CHANGED = (LONGER, SHORTER)
MOST_SINGLES = 20
"""Maximum number of runs of a command that are compared in pairs: 190 pairs."""


@dataclass(frozen=True)
class Captured:
    """All captures, analysed."""

    def groups(self) -> dict[str, list[ComparedRun]]:
        """Returns the runs of each command, in the order of recording within a side."""
        found: dict[str, list[ComparedRun]] = {"alike": [], "20 % longer": []}
        for (_, side), runs in self.sides.items():
            found["20 % longer" if side == "longer" else "alike"] += runs
        return found

    sides: dict[tuple[int, str], list[ComparedRun]]
    """Keyed by the number of the comparison and the side."""
    notes: list[dict[str, Any]]
    """The machine's state during each capture."""
    item_errors: dict[str, float]
    """By name of a run: the standard error of its mean wait, as a share of it, if its items were independent trials. A
    bootstrap over single items gives the same."""


def load(captures: Path, progress: Callable[[str], None]) -> Captured:
    """Analyses the captures of the plan that exist."""
    sides: dict[tuple[int, str], list[ComparedRun]] = {}
    notes = []
    errors = {}

    def read(folder: str) -> ComparedRun | None:
        if not (captures / folder).exists():
            return None
        progress(folder)
        notes.append(json.loads((captures / folder / NOTE).read_text("utf-8")))
        wait = load_items(open_capture(captures / folder)).wait
        run = load_run(captures / folder, spread=True)
        errors[run.name] = float(np.std(wait, ddof=1)) / math.sqrt(len(wait)) / float(np.mean(wait))
        return run

    for comparison in range(plan.COMPARISONS):
        for side in plan.SIDES:
            runs = [read(plan.folder(comparison, side, number)) for number in range(plan.RUNS)]
            sides[comparison, side] = [run for run in runs if run is not None]
    return Captured(sides, notes, errors)


def triples(captured: Captured, side: str) -> list[dict[str, Any]]:
    """Returns every comparison of unchanged triples with those of a side: the verdicts that count."""
    rows = []
    for comparison in range(plan.COMPARISONS):
        a, b = captured.sides[comparison, "unchanged-a"], captured.sides[comparison, side]
        if min(len(a), len(b)) < plan.RUNS:
            continue
        found = compare_runs(a, b)
        judged = {key: found.row(key) for key in plan.STATISTICS}
        rows.append(
            {
                "comparison": comparison,
                "verdicts": {key: row.verdict for key, row in judged.items()},
                "shares": {key: list(map(_rounded, row.change_share or ())) for key, row in judged.items()},
                "others": [r.quantity.key for r in found.rows if r.verdict in (LONGER, SHORTER)],
            }
        )
    return rows


def singles(captured: Captured) -> dict[str, Any]:
    """Compares the mean wait of single runs of the same command: how many pairs are called a change, by the items alone
    and by `compare`."""
    found = {}
    for name, runs in captured.groups().items():
        pairs = list(itertools.combinations(runs[:MOST_SINGLES], 2))
        by_items = by_us = 0
        for a, b in pairs:
            far = abs(math.log(a.values["wait.mean"] / b.values["wait.mean"]))
            by_items += far > NORMAL * math.hypot(captured.item_errors[a.name], captured.item_errors[b.name])
            by_us += compare_runs([a], [b]).row("wait.mean").verdict in CHANGED
        found[name] = {"pairs": len(pairs), "items_alone": by_items, "compare": by_us}
    return found


def scatter(groups: Mapping[str, Sequence[ComparedRun]]) -> dict[str, dict[str, float]]:
    """Measures the scatter of runs of one workload: the standard deviation of each quantity, for a statistic as a share
    of it, for a part as a share of the whole's mean."""
    found: dict[str, dict[str, float]] = {}
    for name, runs in groups.items():
        if len(runs) < 2:
            continue
        found[name] = {}
        for q in QUANTITIES:
            values = np.array([run.values[q.key] for run in runs])
            if q.scale is Scale.RATIO:
                share = float(np.std(np.log(np.maximum(values, 1e-3)), ddof=1))
            else:
                share = float(np.std(values, ddof=1)) / float(np.mean([run.values[q.whole] for run in runs]))
            found[name][q.key] = round(share, 5)
    return found


COVERED = 0.95
LARGE_MS, SMALL_MS = 200.0, 50.0
"""Values that determine the share of the floor, and values that determine its ms."""


def floor_of(groups: Mapping[str, Sequence[ComparedRun]], whatif: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the floor for single runs, within which 95 % of all pairs of runs with the same setting lie. None if the
    samples have no large values or no small ones.

    `groups` are runs of this benchmark; `whatif` are the samples of `whatif-check`, three runs of each setting.
    """
    sets: list[list[float]] = []
    for changes in whatif["runs"].values():
        for made in changes.values():
            figures = [run["figures"]["items"] for run in made]
            if len(figures) > 1 and all(f["items"] for f in figures):
                sets += [
                    [f[what][name] for f in figures]
                    for what in ("wait_ms", "completion_ms")
                    for name in ("mean", "p50", "p90", "p99")
                ]
    settings = len(sets) // 8 + len(groups)
    for runs in groups.values():
        sets += [[run.values[q.key] for run in runs] for q in QUANTITIES if q.scale is Scale.RATIO]
    pairs = np.array([pair for values in sets for pair in itertools.combinations(values, 2)])
    level = pairs.mean(axis=1)
    apart_ms = np.abs(pairs[:, 1] - pairs[:, 0])
    large, small = level >= LARGE_MS, level < SMALL_MS
    if not (large.any() and small.any()):
        return None
    per_run = NORMAL * math.sqrt(2)
    share = float(np.quantile(apart_ms[large] / level[large], COVERED)) / per_run
    ms = float(np.quantile(apart_ms[small], COVERED)) / per_run
    within = apart_ms <= per_run * np.hypot(judge.SHARE * level, judge.MS)
    return {
        "settings": settings,
        "pairs": len(pairs),
        "share": round(share, 4),
        "ms": round(ms, 3),
        "used_share": judge.SHARE,
        "used_ms": judge.MS,
        "covered": round(float(within.mean()), 4),
        "parts_covered": _parts_covered(groups),
    }


def _parts_covered(groups: Mapping[str, Sequence[ComparedRun]]) -> float | None:
    """Returns the covered share for the parts, which have only the runs of this benchmark; None without any."""
    inside = []
    for runs in groups.values():
        for q in QUANTITIES:
            if q.scale is Scale.DIFFERENCE:
                for a, b in itertools.combinations(runs, 2):
                    most = NORMAL * math.hypot(*(judge.floor(q, run.values[q.whole]) for run in (a, b)))
                    inside.append(abs(a.values[q.key] - b.values[q.key]) <= most)
    return round(float(np.mean(inside)), 4) if inside else None


def _rounded(value: float) -> float:
    return round(value, 5)
