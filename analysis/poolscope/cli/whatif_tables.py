"""The output of `poolscope whatif` for each setting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from poolscope.base.words import change, duration

if TYPE_CHECKING:
    from rich.table import Table

    from poolscope import WhatIf
    from poolscope.whatif.prediction import Prediction


SPELLED_OUT = {"items": "delay (enqueue to end, minus own work)", "requests": "latency of requests"}


def calibration_line(result: WhatIf) -> str:
    """Returns the error of the simulation in one line."""
    c = result.calibration
    words = {"good": "good", "rough": "rough", "not-to-be-trusted": "does not fit"}[c.confidence]
    return (
        f"Calibration {words}: mean wait simulated {_said(c.simulated['mean'])}, measured {_said(c.measured['mean'])} "
        f"({change(c.error['mean'])}); p99 {_said(c.simulated['p99'])}, measured {_said(c.measured['p99'])} "
        f"({change(c.error['p99'])}); threads {c.threads_simulated:,}, measured {c.threads_measured:,}."
    )


def tables(result: WhatIf, shown: Callable[[str], str]) -> list[Table]:
    """Returns the tables: the delay, by which fixes are compared; then waits, completion and cost, which together are
    wider than a terminal; then requests. If the model does not fit the run, returns only the table of requests."""
    from rich.markup import escape

    from poolscope.whatif.advice import figure_of
    from poolscope.whatif.explore import PRESENT, SWEEP, is_captured

    delays = _table(SPELLED_OUT[result.present.of], ("mean (least to most)", "change"))
    waits = _table("wait (enqueue to start)", ("mean", "least - most", "p50", "p99", "max", "threads", "stacks"))
    ends = _table("completion (enqueue to end)", ("mean", "least - most", "p50", "p99", "max", "last end"))
    requests = _table("requests (arrival to answer)", ("mean", "p50", "p99", "p99 least - most", "max"))
    told = False
    for group, row in result.rows:
        is_knee = group == SWEEP and row is result.knee and result.calibration.is_usable
        label = shown(row.setting.label) + (" (knee)" if is_knee else "") + (" (deadlock)" if row.deadlock else "")
        style = "bold" if is_knee else ""
        bound = "\N{GREATER-THAN OR EQUAL TO}" if row.lower_bound else ""
        cost = f"{row.peak_threads:,}", f"{row.stack_bytes / 2**20:,.0f} MiB"
        wait = _statistics(row.wait_ms, row.wait_low_ms, row.wait_high_ms, bound)
        end = _statistics(row.completion_ms, row.completion_low_ms, row.completion_high_ms, bound)
        # With more work, a longer delay is no loss.
        comparable = not result.adds_work or row.delay_ms < result.present.delay_ms
        delay = [figure_of(row), _change(result.present.delay_ms, row.delay_ms) if comparable else ""]
        as_measured = group == PRESENT or (is_captured(row.setting, result.captured) and not result.adds_work)
        if as_measured:
            # The measured values are the one baseline; the calibration shows the simulated ones.
            wait = _statistics(result.calibration.measured, 0.0, 0.0, "")
            end = _statistics(result.calibration.measured_completion, 0.0, 0.0, "")
            label += ", measured" if group == PRESENT else ""
            delay = [_said(result.present.delay_ms), ""]
        delays.add_row(escape(label), *delay, style=style)
        waits.add_row(escape(label), *wait, *cost, style=style)
        ends.add_row(escape(label), *end, _said(row.end_ms), style=style)
        cells = _of_requests(result, row, as_measured, bound)
        if cells is not None:
            requests.add_row(escape(label), *cells, style=style)
            told = told or not as_measured
    shown_requests = [requests] if told else []
    return [delays, waits, ends, *shown_requests] if result.calibration.is_usable else shown_requests


def _of_requests(result: WhatIf, row: Prediction, as_measured: bool, bound: str) -> list[str] | None:
    """Returns the cells of a row of the table of requests; None if the simulation predicts nothing for them."""
    from poolscope.whatif.request_fit import at_least

    if result.requests is None or (row.requests is None and not as_measured):
        return None
    names = ("mean", "p50", "p99", "max")
    if row.requests is None or as_measured:
        least = "\N{GREATER-THAN OR EQUAL TO}" if at_least(result.requests.to_json()) else ""
        mean, p50, p99, longest = (least + _said(result.requests.measured[name]) for name in names)
        return [mean, p50, p99, "", longest]
    told, low, high = row.requests, row.requests.p99_low_ms, row.requests.p99_high_ms
    signs = {name: "about " if name in told.about else "" for name in names}
    signs["mean"] += bound
    mean, p50, p99, longest = (signs[name] + _said(told.latency_ms[name]) for name in names)
    return [mean, p50, p99, "" if _said(low) == _said(high) else f"{_said(low)} - {_said(high)}", longest]


def not_predicted(result: WhatIf, misfit: str) -> str:
    """Returns the sentence that replaces the predictions if the model does not fit the run."""
    from poolscope.whatif.explore import PRESENT

    if all(row.requests is None for group, row in result.rows if group != PRESENT):
        return f"Poolscope predicts no setting: {misfit}."
    return (
        f"Poolscope predicts no setting for work items: {misfit}. For requests, Poolscope shows the settings with which "
        "they hardly wait for threads, because pool growth plays almost no part in these."
    )


def _table(what: str, headings: tuple[str, ...]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(what, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _statistics(statistics: dict[str, float], low: float, high: float, bound: str) -> list[str]:
    spread = "" if _said(low) == _said(high) else f"{_said(low)} - {_said(high)}"
    return [
        bound + _said(statistics["mean"]),
        spread,
        _said(statistics["p50"]),
        _said(statistics["p99"]),
        _said(statistics["max"]),
    ]


def notes(result: WhatIf) -> list[str]:
    """Returns the reasons why rows are uncertain, each sentence once."""
    from poolscope.whatif.request_fit import request_note

    said = []
    if any(row.lower_bound for _, row in result.rows):
        said.append(
            "\N{GREATER-THAN OR EQUAL TO}: a lower bound. More items are under way at once than in the capture, and "
            "the simulation does not see locks and services that nothing queued for."
        )
    if any(row.deadlock for _, row in result.rows):
        said.append("Deadlock: items wait for items that can never start.")
    if result.left_out:
        said.append(result.left_out)
    if result.requests is not None:
        said.append(request_note(result.requests.to_json()))
    return said


def _change(before: float, after: float) -> str:
    return change(after / before - 1) if before > 0 and math.isfinite(after) else ""


def _said(ms: float) -> str:
    return "never" if not math.isfinite(ms) else duration(ms) if ms > 0 else "0"
