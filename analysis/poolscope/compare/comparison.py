"""Compares two sides of captures: which quantities became longer or shorter, and which conditions differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from poolscope.compare.comparison_json import ComparisonJson, RowJson, RunJson
from poolscope.compare.conditions import ChangedCondition, across_runtimes, differing
from poolscope.compare.judge import ENOUGH_RUNS, Row, enough, judge
from poolscope.compare.of_requests import ANSWERED
from poolscope.compare.places import late_json, places_json, sentence
from poolscope.compare.quantity import Scale
from poolscope.compare.run import CURVE, ComparedRun, load_run
from poolscope.compare.sentence import headline
from poolscope.version import __version__

FORMAT = 1
RUNS, SINGLE = "runs", "single runs"


@dataclass(frozen=True)
class Comparison:
    """The result of `poolscope compare`."""

    a: tuple[ComparedRun, ...]
    b: tuple[ComparedRun, ...]
    rows: list[Row]
    differs: list[ChangedCondition]

    @property
    def method(self) -> str:
        """`runs`: judged by the runs' own spread; `single runs`: too few runs for that."""
        return RUNS if enough(self.a, self.b) else SINGLE

    @property
    def insufficient(self) -> list[str]:
        """Captures whose coverage leaves a question open, each with the first reason. Unknown requests leave one open
        if another capture's requests are known."""
        runs = (*self.a, *self.b)
        wanted = any(row.quantity.of_requests for row in self.rows)
        reasons = [(r.name, r.insufficient or (r.without_requests if wanted else None)) for r in runs]
        return list(dict.fromkeys(f"{name}: {reason}" for name, reason in reasons if reason))

    def row(self, key: str) -> Row:
        return next(row for row in self.rows if row.quantity.key == key)

    def notes(self) -> list[str]:
        """Returns the limits of the answer."""
        said = []
        if self.method == SINGLE:
            said.append(
                f"Single runs: with fewer than {ENOUGH_RUNS} captures per side, Poolscope cannot see how much runs "
                "differ. It builds the intervals from the uncertainty within each run and from a floor measured on "
                "other workloads. Yours may vary more."
            )
        said += [f"{reason}" for reason in self.insufficient]
        if sentence := across_runtimes([run.conditions.get("runtime") for run in (*self.a, *self.b)]):
            said.append(sentence)
        partly = [r for r in (*self.a, *self.b) if r.requests and not r.requests.unknown and r.requests.unanswered]
        if partly and partly[0].requests:
            said.append(
                f"The parts of the latency of requests are not compared: {partly[0].name}: {partly[0].requests.unanswered}."
            )
        unknown = [r.requests.unknown for r in (*self.a, *self.b) if r.requests and r.requests.unknown]
        if unknown and not any(row.quantity.of_requests for row in self.rows):
            said.append(f"Requests are not compared: {unknown[0]}.")
        order = _order(self.a, self.b)
        if order and len(self.a) + len(self.b) > 2:
            first, second = order
            said.append(
                f"Every capture of side {first} was made before those of side {second}: a machine that grew slower or "
                "faster meanwhile looks like a change. Let the sides take turns."
            )
        return said

    def to_json(self) -> ComparisonJson:
        """Returns the content of the JSON. The same captures give the same bytes."""
        places = places_json([run.late for run in self.a], [run.late for run in self.b])
        return {
            "format": FORMAT,
            "tool": {"name": "poolscope", "version": __version__},
            "text": headline(self.rows, self.method == SINGLE, sentence(places, len(self.a), len(self.b))),
            "method": self.method,
            "notes": self.notes(),
            "differs": [condition.to_json() for condition in self.differs],
            "places": places,
            "rows": [_row(row) for row in self.rows],
            "shares": list(CURVE),
            "a": [_run(run) for run in self.a],
            "b": [_run(run) for run in self.b],
        }


def compare(a: Sequence[Path], b: Sequence[Path], progress: Callable[[Path], None] = lambda path: None) -> Comparison:
    """Analyses every capture of both sides, at least one each, and compares them. `progress` receives each path before
    its analysis.

    Raises InsufficientEvidence without a runtime stream, and UnreadableCapture if a capture cannot be read.
    """
    spread = min(len(a), len(b)) < ENOUGH_RUNS
    sides = []
    for side in (a, b):
        runs = []
        for path in side:
            progress(path)
            runs.append(load_run(path, spread))
        sides.append(tuple(runs))
    return compare_runs(*sides)


def compare_runs(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Comparison:
    """Returns the comparison of analysed runs; too few of them need their `spread`."""
    differs = differing([run.conditions for run in a], [run.conditions for run in b])
    return Comparison(tuple(a), tuple(b), judge(a, b), differs)


def _order(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> tuple[str, str] | None:
    """Returns the sides in order of time; None if they took turns."""
    times = [sorted(run.start_utc for run in side) for side in (a, b)]
    if times[0][-1] < times[1][0]:
        return "A", "B"
    return ("B", "A") if times[1][-1] < times[0][0] else None


def _row(row: Row) -> RowJson:
    share = row.quantity.scale is Scale.SHARE
    method, route = row.quantity.route or (None, None)
    return {
        "key": row.quantity.name,
        "http_method": method,
        "route": route,
        "words": row.quantity.words,
        "group": row.quantity.group,
        "a_ms": None if share else _rounded(row.a_ms),
        "b_ms": None if share else _rounded(row.b_ms),
        "change_ms": None if share else _all_rounded(row.change_ms),
        "change_share": _all_rounded(row.change_share),
        "a_share": _rounded(row.a_ms) if share else None,
        "b_share": _rounded(row.b_ms) if share else None,
        "change_points": _all_rounded(row.change_ms) if share else None,
        "at_least": list(row.at_least),
        "p": None if row.difference is None else float(f"{row.difference.p:.3g}"),
        "freedom": None if row.difference is None else round(row.difference.freedom, 2),
        "verdict": row.verdict,
        "reason": row.reason,
        "captures_needed": row.needed,
    }


def _run(run: ComparedRun) -> RunJson:
    return {
        "name": run.name,
        "start_utc": run.start_utc,
        "items": run.items,
        "verdict": run.verdict,
        "values_ms": {key: ms for key, ms in run.values.items() if _is_of_all(key)},
        "at_least": sorted(filter(_is_of_all, run.at_least)),
        "wait_ms": dict(run.waits),
        "curve_ms": [_rounded(ms) for ms in run.curve],
        "conditions": dict(run.conditions),
        "requests": None
        if run.requests is None
        else {
            "count": run.requests.count,
            "tied": run.requests.tied,
            "answered": run.requests.answered,
            "waiting": run.requests.waiting,
        },
        "late": late_json(run.late),
    }


def _is_of_all(key: str) -> bool:
    """Returns whether a key names a duration of all items or requests, not one of a single route and not a share."""
    return " " not in key and key != ANSWERED.key


def _rounded(ms: float | None) -> float | None:
    return None if ms is None else round(ms, 6)


def _all_rounded(values: tuple[float, ...] | None) -> list[float] | None:
    return None if values is None else [round(value, 6) for value in values]
