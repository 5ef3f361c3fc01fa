"""The attribution: the parts of the waits, and of the executions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from poolscope.contract.analysis_json import AnalysisJson, AttributionJson, SummaryJson
from poolscope.html.chart_style import SHAPES
from poolscope.html.formatting import count, duration, percent
from poolscope.product.causes import CAUSES, CAUSE_WORDS

LABEL_PERCENT = 9.0
"""Narrower parts of a bar have no room for their label. The table has it."""
QUANTILES: tuple[tuple[Literal["mean", "p50", "p90", "p99", "max"], str], ...] = (
    ("mean", "mean"),
    ("p50", "median"),
    ("p90", "p90"),
    ("p99", "p99"),
    ("max", "longest"),
)
EXECUTION = {
    "cpu": "running on a core",
    "blocked": "blocked",
    "ready": "runnable without a core",
    "runtime": "suspended by the runtime",
    "unknown": "no kernel event",
}


def bar(parts_ms: Mapping[str, float]) -> list[dict[str, object]]:
    """Returns the parts of one wait as a bar: widths in percent, in the order of CAUSES, without empty parts."""
    total = sum(parts_ms.values())
    if total <= 0:
        return []
    assert parts_ms.keys() <= set(CAUSES), "a part that is not drawn would be missing from the sum beside the bar"
    return [
        {
            "cause": cause,
            "words": CAUSE_WORDS[cause],
            "shape": SHAPES[cause],
            "width": round(100 * parts_ms[cause] / total, 3),
            "labelled": 100 * parts_ms[cause] / total >= LABEL_PERCENT,
            "ms": duration(parts_ms[cause]),
            "share": percent(parts_ms[cause] / total),
        }
        for cause in CAUSES
        if parts_ms.get(cause, 0) > 0
    ]


def split_section(analysis: AnalysisJson) -> dict[str, object]:
    split = analysis["attribution"]
    items = analysis["items"]
    section: dict[str, object] = {
        "count": items["count"],
        "recorded": analysis["coverage"]["items_recorded"],
        "quantiles": [words for _, words in QUANTILES],
        "summary": [
            ("wait", _summary(items["wait_ms"])),
            ("enqueue to end", _summary(items["completion_ms"])),
        ],
        "bounds": bool(items["wait_ms"]["at_least"] or items["completion_ms"]["at_least"]),
        "known": split is not None,
        "why_not": _why_not(analysis),
    }
    if split is None:
        return section
    total = sum(split["wait_ms"].values())
    execution = split["execution_ms"]
    execution_total = sum(execution.values())
    return section | {
        "bar": bar(split["wait_ms"]),
        "judged": judged(split),
        "total": duration(total, "mean" in items["wait_ms"]["at_least"]),
        "rows": [_row(split, cause) for cause in CAUSES if cause in split["wait_ms"]],
        "execution": [
            (words, _between(split, key), percent(execution[key] / execution_total if execution_total else 0.0))
            for key, words in EXECUTION.items()
            if key in execution
        ],
        "execution_total": duration(execution_total),
        "delay": duration(split["delay_ms"]),
        "gist": f"Mean wait of all items {duration(total)}, mean execution {duration(execution_total)}.",
        "threads_needed": count(split["threads_needed"]),
        "residual": split["residual_ns"],
    }


def judged(split: AttributionJson) -> dict[str, object] | None:
    """Returns the split of the late items that the verdict is about, or None if it is about all items."""
    of = split["judged"]
    if not of["late_only"]:
        return None
    return {
        "items": count(of["items"]),
        "mean": duration(sum(of["wait_ms"].values())),
        "bar": bar(of["wait_ms"]),
        "rows": [
            (CAUSE_WORDS[cause], duration(ms), percent(of["wait_share"][cause])) for cause, ms in of["wait_ms"].items()
        ],
    }


def _between(split: AttributionJson, key: str) -> str:
    """Returns a part of the execution: a figure, or its bounds if the kernel tier leaves it open."""
    bounds = (split.get("execution_bounds_ms") or {}).get(key)
    if bounds is None or bounds[0] == bounds[1]:
        return duration(split["execution_ms"][key])
    return f"{duration(bounds[0])} to {duration(bounds[1])}"


def _row(split: AttributionJson, cause: str) -> dict[str, object]:
    """Returns one cause of the table, with its evidence."""
    total = sum(split["wait_ms"].values())
    return {
        "cause": cause,
        "words": CAUSE_WORDS[cause],
        "shape": SHAPES[cause],
        "ms": duration(split["wait_ms"][cause]),
        "share": percent(split["wait_share"][cause]),
        "details": [
            (words, duration(ms), percent(ms / total if total else 0.0)) for words, ms in _details(split, cause)
        ],
    }


def _details(split: AttributionJson, cause: str) -> list[tuple[str, float]]:
    """Returns the two parts of a cause that has parts, in words and ms."""
    if cause == "injection":
        return [
            ("while the threads were blocked", split["injection_ms"]["behind_blocked"]),
            ("while the threads computed or waited for a core", split["injection_ms"]["behind_cpu"]),
        ]
    if cause == "blocking":
        return [
            ("blocked items held the threads", split["blocking_ms"]["holding"]),
            ("dependency: no removed obstacle explains it", split["blocking_ms"]["dependency"]),
        ]
    return []


def _summary(summary: SummaryJson) -> list[str]:
    return [duration(summary[key], key in summary["at_least"]) for key, _ in QUANTILES]


def _why_not(analysis: AnalysisJson) -> str:
    if not analysis["coverage"]["items_recorded"]:
        return "Work items were not recorded, so there is no wait to split."
    if analysis["items"]["count"] == 0:
        return "There was no work item, so there is no wait to split."
    return (
        "Without a kernel stream, blocked items, computing items and a lack of cores look alike. The waits are "
        "measured, but not split by cause."
    )
