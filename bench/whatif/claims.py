"""Claims about single predictions, in addition to the errors over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .accuracy import Row, last_end_ms
from .samples import Samples
from .scenario import ITEMS
from .scenarios import BY_NAME

ADVISED = ("lock-convoy", "ticket")
"""Scenarios whose findings the claims use."""

LONG_RUNNING_PART, LONG_RUNNING_MS = 0.25, 50.0
CHAIN_PART = 0.15
CONVOY_PART = 0.10
AT_ONCE_MS = 50.0
"""Mean wait up to which items start at once: creating two hundred threads takes that long."""


@dataclass(frozen=True)
class Claim:
    """One claim. `holds` is None without a run or a prediction."""

    text: str
    figures: str
    holds: bool | None


Predictions = dict[str, dict[str, dict[str, Any]]]


def claims(rows: list[Row], samples: Samples, predictions: Predictions, findings: dict[str, list[str]]) -> list[Claim]:
    """Returns all claims, in the order of the scenarios."""
    by_key = {(row.scenario, row.change): row for row in rows}
    return [
        _long_running(by_key.get(("barrier-default", "LongRunning"))),
        _deadlock(samples, predictions),
        *(_chain(row) for row in rows if row.scenario == "sync-over-async" and row.change.startswith("min ")),
        *_convoy(by_key.get(("lock-convoy", "min 200 threads")), samples),
        _advice("lock-convoy", "no advice to raise min threads, but `wait-would-move`", False, findings),
        _advice("ticket", "advice to raise min threads", True, findings),
    ]


def _long_running(row: Row | None) -> Claim:
    part, ms = LONG_RUNNING_PART, LONG_RUNNING_MS
    text = f"`barrier-default`: last completion with LongRunning within {part:.0%} and {ms:.0f} ms of a real run"
    if row is None or row.end.predicted_ms is None:
        return Claim(text, "-", None)
    off = abs(row.end.predicted_ms - row.end.measured_ms)
    return Claim(text, _against(row.end.predicted_ms, row.end.measured_ms), off <= min(ms, part * row.end.measured_ms))


def _deadlock(samples: Samples, predictions: Predictions) -> Claim:
    text = "`barrier-default`: with at most 59 threads for 60 items nothing ever ends"
    scenario = BY_NAME["barrier-default"]
    change = next(c for c in scenario.changes if c.deadlock)
    runs = samples.runs(scenario, change)
    said = predictions.get(scenario.name, {}).get(change.name)
    if said is None or not runs:
        return Claim(text, "-", None)
    figures = runs[-1]["figures"][ITEMS]
    stuck = figures["unfinished"] == figures["items"] > 0
    shown = f"predicted: {'deadlock' if said['deadlock'] else 'none'}; real run: {figures['unfinished']} of {figures['items']} items without an end"
    return Claim(text, shown, stuck and bool(said["deadlock"]))


def _chain(row: Row) -> Claim:
    text = f"`sync-over-async`, {row.change}: mean wait within {CHAIN_PART:.0%}"
    if row.mean.error is None:
        return Claim(text, "-", None)
    return Claim(text, _against(row.mean.predicted_ms, row.mean.measured_ms), row.mean.error <= CHAIN_PART)


def _convoy(row: Row | None, samples: Samples) -> list[Claim]:
    at_once = "`lock-convoy`, min 200 threads: items start at once, predicted and real"
    unchanged = f"`lock-convoy`, min 200 threads: last completion within {CONVOY_PART:.0%} of that as captured, predicted and real"
    before = samples.baseline(BY_NAME["lock-convoy"])
    if row is None or before is None or row.mean.predicted_ms is None or row.end.predicted_ms is None:
        return [Claim(at_once, "-", None), Claim(unchanged, "-", None)]
    waits = (row.mean.predicted_ms, row.mean.measured_ms)
    ends = (row.end.predicted_ms, row.end.measured_ms)
    base = last_end_ms(before)
    return [
        Claim(at_once, _against(*waits), max(waits) <= AT_ONCE_MS),
        Claim(
            unchanged,
            f"{_against(*ends)}; as captured {base:,.0f} ms",
            all(abs(end - base) <= CONVOY_PART * base for end in ends),
        ),
    ]


def _advice(scenario: str, what: str, wanted: bool, findings: dict[str, list[str]]) -> Claim:
    text = f"`{scenario}`: {what}"
    found = findings.get(scenario)
    if found is None:
        return Claim(text, "-", None)
    given = "min-threads-would-help" in found
    holds = given if wanted else not given and "wait-would-move" in found
    return Claim(text, "findings: " + (", ".join(found) or "none"), holds)


def _against(predicted: float | None, measured: float) -> str:
    return f"predicted {predicted:,.1f} ms, measured {measured:,.1f} ms"
