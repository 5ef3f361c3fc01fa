"""seeds.json: every row's figures, its verdict, and whether its shape matches the published one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from seeds.explain import explanation
from seeds.outcome import Outcome
from seeds.row import Expected, Row
from seeds.shapes import SHAPES, Runs

SIGNIFICANT = 4


def build(
    rows: list[Row], expected: dict[str, Expected], runs: Runs, failures: dict[str, str], full: bool
) -> dict[str, Any]:
    """Returns the content of seeds.json. `runs` and `failures` are keyed by row id; each row is in one of them."""
    shapes = [_shape(shape, runs) for shape in SHAPES if shape.applies(runs, full)]
    return {
        "format": 1,
        "size": "full" if full else "scaled",
        "host": next((run.analysis["capture"]["host"] for run in runs.values()), None),
        "runtime": next((run.analysis["capture"]["target"]["runtime"] for run in runs.values()), None),
        "cores": next((run.cores for run in runs.values()), None),
        "rows": [
            _row(row, expected[row.id], runs[row.id], shapes)
            if row.id in runs
            else {"id": row.id, "failed": failures[row.id]}
            for row in rows
        ],
        "shapes": shapes,
    }


def _shape(shape: Any, runs: Runs) -> dict[str, Any]:
    measured = shape.measure(runs)
    return {
        "row": shape.rows[0],
        "rows": list(shape.rows),
        "statement": shape.statement,
        "measured": _rounded(measured),
        "low": shape.low,
        "high": None if shape.high == float("inf") else shape.high,
        "ok": bool(shape.holds(measured)),
    }


def _row(row: Row, expected: Expected, run: Outcome, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    ours = row.ours(run)
    value = row.published.value
    own = [shape["ok"] for shape in shapes if shape["row"] == row.id]
    verdict = run.analysis["verdict"]
    attribution = run.analysis["attribution"]
    return {
        "id": row.id,
        "workload": row.workload,
        "variant": row.variant,
        "command": (run.analysis["capture"]["target"].get("command") or [])[1:],
        "published": value,
        "published_text": row.published.text,
        "ours": _rounded(ours),
        "unit": row.published.unit,
        "ratio": None if value is None else _rounded(ours / value),
        "shape_ok": all(own) if own else None,
        "expected_verdict": str(expected),
        "alternative": None if row.alternative is None else asdict(row.alternative),
        "verdict": verdict["id"],
        "confidence": verdict["confidence"],
        "verdict_ok": expected.met(run),
        "found": run.found,
        "wait_share": None if attribution is None else attribution["wait_share"],
        "truth_median_us": run.truth_median_us,
        "truth_items": None if run.truth is None else int((run.truth["start_ns"] >= 0).sum()),
        "explanation": explanation(row, run),
        "noisy_psi": run.noisy,
        "report": run.report.name,
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT}g}")
