"""The attribution: of what the waits, and then the executions, consisted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poolscope.html.formatting import count, duration, percent
from poolscope.html.palette import SHAPES
from poolscope.product.causes import CAUSE_WORDS, CAUSES

LABEL_PERCENT = 9.0
"""Narrower parts of a bar have no room for their label; the table has it."""
QUANTILES = (("mean", "mean"), ("p50", "median"), ("p90", "p90"), ("p99", "p99"), ("max", "longest"))
DETAILS: dict[str, tuple[str, dict[str, str]]] = {
    "injection": ("injection_ms", {"behind_blocked": "while the threads were blocked", "behind_cpu": "while the threads computed or waited for a core"}),
    "blocking": ("blocking_ms", {"holding": "blocked items held the threads", "dependency": "dependency: no removed obstacle explains it"}),
}  # fmt: skip
EXECUTION = {
    "cpu": "running on a core",
    "blocked": "blocked",
    "ready": "runnable without a core",
    "runtime": "suspended by the runtime",
    "unknown": "no kernel event",
}


def bar(parts_ms: Mapping[str, float]) -> list[dict[str, Any]]:
    """The parts of one wait as a bar: widths in percent, in the order of CAUSES, parts of nothing left out."""
    total = sum(parts_ms.values())
    if total <= 0:
        return []
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


def split_section(analysis: dict[str, Any]) -> dict[str, Any]:
    split = analysis["attribution"]
    items = analysis["items"]
    section: dict[str, Any] = {
        "count": items["count"],
        "quantiles": [words for _, words in QUANTILES],
        "summary": [
            (title, _summary(items[key])) for title, key in (("wait", "wait_ms"), ("enqueue to end", "completion_ms"))
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


def judged(split: dict[str, Any]) -> dict[str, Any] | None:
    """The split of the late items that the verdict speaks of; None where it speaks of all items."""
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


def _between(split: dict[str, Any], key: str) -> str:
    """A part of the execution: a figure, or its bounds where the kernel tier leaves it open."""
    bounds = (split.get("execution_bounds_ms") or {}).get(key)
    if bounds is None or bounds[0] == bounds[1]:
        return duration(split["execution_ms"][key])
    return f"{duration(bounds[0])} to {duration(bounds[1])}"


def _row(split: dict[str, Any], cause: str) -> dict[str, Any]:
    """One cause of the table, with what stands behind it."""
    key, words = DETAILS.get(cause, ("", {}))
    total = sum(split["wait_ms"].values())
    return {
        "cause": cause,
        "words": CAUSE_WORDS[cause],
        "shape": SHAPES[cause],
        "ms": duration(split["wait_ms"][cause]),
        "share": percent(split["wait_share"][cause]),
        "details": [
            (text, duration(split[key][part]), percent(split[key][part] / total if total else 0.0))
            for part, text in words.items()
        ],
    }


def _summary(summary: dict[str, Any]) -> list[str]:
    return [duration(summary[key], key in summary["at_least"]) for key, _ in QUANTILES]


def _why_not(analysis: dict[str, Any]) -> str:
    if analysis["items"]["count"] == 0:
        return "There was no work item, so there is no wait to split."
    return (
        "Without a kernel stream blocked items, computing items and a lack of cores look alike, so the waits are "
        "measured but not split by cause."
    )
