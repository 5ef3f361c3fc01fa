"""The effect of other settings: the curve in words, the fixes with their intervals, and how far to trust them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from poolscope.base import words
from poolscope.base.words import change
from poolscope.contract.analysis_json import AnalysisJson, CalibrationJson, SummaryJson, WhatIfJson, WhatIfRowJson
from poolscope.html.formatting import ABSENT, count, duration, size
from poolscope.report.sections.findings import mean_of
from poolscope.whatif.prediction import MEAN, REQUESTS
from poolscope.whatif.request_fit import adds_work, at_least, request_note
from poolscope.whatif.sweep import near

CONFIDENCE = {
    "good": "good",
    "rough": "rough: trust the order of the settings, not the exact figures",
    "not-to-be-trusted": "does not fit: no prediction for work items",
}
MISFIT = "not-to-be-trusted"
"""The confidence at which nothing is predicted."""
GROUPS = {
    "present": "",
    "fix": "One change alone",
    "load": "More of the same work",
    "service": "Another service",
    "recorder": "Nobody records",
    "asked": "As asked",
}
"""Groups of rows in the table of fixes, in order. The sweep has the chart and its own table."""
STATISTICS = ("mean", "p50", "p99", "max")
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO} "


NOTABLE, NOTABLE_MS = 0.1, 5.0
"""The share of the mean latency, and the ms, from which a gain for requests is reported in a sentence."""


@dataclass(frozen=True)
class Shown:
    """The table cells of a row: ms by statistic, None if never."""

    wait_ms: dict[str, float | None]
    completion_ms: dict[str, float | None]
    interval_ms: dict[str, list[float | None]] | None
    """None for measured values."""


def whatif_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of predictions, or None if nothing could be simulated; the page then says why."""
    what_if = analysis["what_if"]
    if what_if is None:
        return None
    fits = what_if["calibration"]["confidence"] != MISFIT
    rows = what_if["rows"] if fits else []
    present = next((r for r in rows if r["group"] == "present"), None)
    mean = mean_of(analysis)
    sweep = [r for r in rows if r["group"] == "min-threads"]
    return {
        "confidence": CONFIDENCE.get(what_if["calibration"]["confidence"], ""),
        "fits": fits,
        "mean": mean,
        "calibration": _calibration(what_if["calibration"]),
        "reasons": what_if["calibration"]["reasons"],
        "runs": count(what_if["replications"]),
        "curve": curve_words(what_if, sweep),
        "fixes": [
            _fix(r, _shown(r, analysis, what_if), present, adds_work(what_if["requests"]), mean == MEAN[REQUESTS])
            for g in GROUPS
            for r in rows
            if present and r["group"] == g
        ],
        "every": [_every(r, _shown(r, analysis, what_if), what_if["knee"]) for r in rows],
        "requests": request_rows(what_if, what_if["rows"]),
        "request_note": _request_note(what_if),
        "request_words": request_words(what_if, what_if["rows"]),
        "advice": [a["text"] for a in what_if["advice"]],
        "why": list(dict.fromkeys(w for r in rows for w in r["why"])),
        "bound": _bound(what_if["captured"]["peak_busy"], rows),
        "left_out": what_if["left_out"],
    }


def curve_words(what_if: WhatIfJson, sweep: list[WhatIfRowJson]) -> str:
    """Returns the content of the curve in words, for readers without pictures."""
    if not sweep:
        return "The minimum of threads was not swept."
    first, last = sweep[0], sweep[-1]
    said = (
        f"With a minimum of {count(first['setting']['min_threads'])} to {count(last['setting']['min_threads'])} threads the mean "
        f"wait goes from {never(first['wait_ms']['mean'])} to {never(last['wait_ms']['mean'])}, and the mean time from enqueue to "
        f"end from {never(first['completion_ms']['mean'])} to {never(last['completion_ms']['mean'])}. The capture was made with a "
        f"minimum of {count(what_if['captured']['min_threads'])}."
    )
    if what_if["knee"] is not None:
        said += (
            f" The knee is at {count(what_if['knee'])}: with more threads, items end hardly any earlier (within 5 % "
            "of the best mean and p99)."
        )
    return said


def request_rows(what_if: WhatIfJson, rows: list[WhatIfRowJson]) -> list[tuple[str, bool, list[str], str]]:
    """Returns setting, whether it is the knee, mean, p50, p99 and max of the requests' latency, and the range of the
    p99. The captured settings have the measured values."""
    followed = what_if["requests"]
    if followed is None:
        return []
    told = [
        r
        for r in rows
        if r["group"] != "present"
        and r["request_ms"] is not None
        and not (r["group"] == "min-threads" and is_as_captured(r, what_if))
    ]
    result = []
    for row in [*(r for r in rows if told and r["group"] == "present"), *told]:
        present = row["group"] == "present"
        figures: dict[str, float | None] = {**followed["latency_ms"], **({} if present else row["request_ms"] or {})}
        is_knee = row["group"] == "min-threads" and row["setting"]["min_threads"] == what_if["knee"]
        label = f"{row['label']}, measured" if present else row["label"]
        spread = "" if present else interval(row["interval_ms"]["request_p99"])
        bound = AT_LEAST if (at_least(followed) if present else row["lower_bound"]) else ""
        cells = [
            ("about " if not present and name in row["request_about"] else "")
            + (bound if present or name == STATISTICS[0] else "")
            + never(figures[name])
            for name in STATISTICS
        ]
        result.append((label, is_knee, cells, spread))
    return result


def request_words(what_if: WhatIfJson, rows: list[WhatIfRowJson]) -> str | None:
    """Returns the effect on requests of the knee of the sweep, or of the first setting whose mean is near the best.
    None if there is nothing to report."""
    followed = what_if["requests"]
    told = [r for r in rows if r["request_ms"] is not None and r["group"] in ("min-threads", "fix")]
    if followed is None or not told:
        return None
    knees = [r for r in told if r["group"] == "min-threads" and r["setting"]["min_threads"] == what_if["knee"]]
    means = [_or_never(r["request_ms"]["mean"] if r["request_ms"] else None) for r in told]
    best = knees[0] if knees else next(r for r, mean in zip(told, means) if near(mean, min(means)))
    after, before = best["request_ms"], followed["latency_ms"]
    if after is None or is_as_captured(best, what_if):
        return None
    if before["mean"] - _or_never(after["mean"]) < max(NOTABLE * before["mean"], NOTABLE_MS):
        return None
    threads = " threads" if best["group"] == "min-threads" else ""
    mean, p99 = (("about " if name in best["request_about"] else "") + never(after[name]) for name in ("mean", "p99"))
    bound = "at least " if at_least(followed) else ""
    least = "at least " if best["lower_bound"] else ""
    return (
        f"Requests with {best['label']}{threads}: {least}{mean} in the mean and {p99} at p99, instead of "
        f"{bound}{never(before['mean'])} and {never(before['p99'])}."
    )


def _or_never(ms: float | None) -> float:
    return math.inf if ms is None else ms


def _request_note(what_if: WhatIfJson) -> str | None:
    followed = what_if["requests"]
    return None if followed is None else request_note(followed)


def never(ms: float | None) -> str:
    """Returns a duration. Items that never end are null in analysis.json."""
    return "never" if ms is None else duration(ms)


def _bound(peak_busy: int, rows: list[WhatIfRowJson]) -> str | None:
    """Returns the meaning of the sign of a lower bound, or None if no row has it."""
    most = max((r["at_once"] for r in rows if r["lower_bound"]), default=None)
    if most is None:
        return None
    return (
        f"\N{GREATER-THAN OR EQUAL TO} marks lower bounds: up to {count(most)} items are under way at once there, in the capture "
        f"{count(peak_busy)} were. The simulation does not see locks and services that no item queued for."
    )


def _calibration(calibration: CalibrationJson) -> list[tuple[str, str, str, str, str]]:
    """Returns rows of statistic, measured, simulated, range and error."""
    words = {"mean": "mean wait", "p50": "median wait", "p99": "p99 of the wait", "max": "longest wait"}
    rows = []
    for name, text in words.items():
        c = calibration["wait_ms"][name]
        rows.append(
            (text, never(c["measured"]), never(c["simulated"]), interval([c["low"], c["high"]]), change(c["error"]))
        )
    threads = calibration["threads"]
    rows.append(("most threads", count(threads["measured"]), count(threads["simulated"]), "", ""))
    return rows


def interval(pair: list[float | None]) -> str:
    """Returns the least and the most over the runs. Empty if they are equal."""
    low, high = never(pair[0]), never(pair[1])
    return "" if low == high else f"{low} to {high}"


def _shown(row: WhatIfRowJson, analysis: AnalysisJson, what_if: WhatIfJson) -> Shown:
    """Returns waits and completions of a row.

    The captured settings have the measured values, so that the page has one baseline. The calibration shows how their
    simulation differs.
    """
    if row["group"] != "present" and not (is_as_captured(row, what_if) and row["group"] == "min-threads"):
        return Shown(row["wait_ms"], row["completion_ms"], row["interval_ms"])
    items = analysis["items"]
    return Shown(_figures(items["wait_ms"]), _figures(items["completion_ms"]), None)


def is_as_captured(row: WhatIfRowJson, what_if: WhatIfJson) -> bool:
    """Returns whether the row changes nothing but the minimum, to the captured one, and has no more work than the
    capture."""
    if adds_work(what_if["requests"]):
        return False
    setting, captured = row["setting"], what_if["captured"]
    others = (
        setting["policy"],
        setting["max_threads"],
        setting["cores"],
        setting["async"],
        setting["dedicated"],
        setting["load"] != 1.0,
        setting["faster"],
        setting["unrecorded"],
    )
    return setting["min_threads"] == captured["min_threads"] and not any(others)


def _figures(summary: SummaryJson) -> dict[str, float | None]:
    return {"mean": summary["mean"], "p50": summary["p50"], "p99": summary["p99"], "max": summary["max"]}


def _fix(
    row: WhatIfRowJson, shown: Shown, present: WhatIfRowJson, more_work: bool, of_requests: bool
) -> dict[str, object]:
    after, before = row["delay_ms"]["mean"], present["delay_ms"]["mean"]
    # With more work, a longer delay is no loss.
    share = None if after is None or not before or (more_work and after >= before) else after / before - 1
    is_present = row["group"] == "present"
    ranges = shown.interval_ms
    delay = never(after) if is_present else words.predicted(*_delays(row), row["lower_bound"])
    if of_requests and row["request_ms"] is None:
        delay = ABSENT
    return {
        "group": GROUPS.get(row["group"], ""),
        "label": row["label"],
        "bound": "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}" if row["lower_bound"] else "",
        "delay": delay,
        "wait": never(shown.wait_ms["mean"]),
        "wait_range": interval(ranges["wait_mean"]) if ranges else "",
        "p99": never(shown.wait_ms["p99"]),
        "p99_range": interval(ranges["wait_p99"]) if ranges else "",
        "change": "" if is_present or share is None else change(share),
        "end": never(row["end_ms"]),
        "threads": count(row["peak_threads"]),
        "stack": size(row["stack_bytes"]),
        "deadlock": row["deadlock"],
    }


def _delays(row: WhatIfRowJson) -> tuple[float, float, float]:
    """Returns mean, least and most of the mean delay. inf if items never end."""
    delay = row["delay_ms"]
    mean, low, high = (math.inf if ms is None else ms for ms in (delay["mean"], delay["low"], delay["high"]))
    return mean, min(low, mean), max(high, mean)


def _every(row: WhatIfRowJson, shown: Shown, knee: int | None) -> dict[str, object]:
    is_knee = row["group"] == "min-threads" and row["setting"]["min_threads"] == knee
    return {
        "label": row["label"],
        "knee": is_knee,
        "wait": [never(shown.wait_ms[s]) for s in STATISTICS],
        "completion": [never(shown.completion_ms[s]) for s in STATISTICS],
        "threads": count(row["peak_threads"]),
        "stack": size(row["stack_bytes"]),
    }
