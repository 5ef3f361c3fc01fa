"""Worker lanes in words, and as a table."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, LanesJson, LaneWorkerJson
from poolscope.html.formatting import ABSENT, counted, duration, percent


def lanes_section(analysis: AnalysisJson) -> dict[str, object]:
    lanes = analysis["lanes"]
    if lanes is None:
        return {"known": False, "words": _why_not(analysis)}
    return {
        "known": True,
        "words": lanes_words(lanes),
        "merged": None if lanes["bin_s"] is None else duration(lanes["bin_s"] * 1000),
        "rows": [_row(worker) for worker in lanes["workers"]],
    }


def lanes_words(lanes: LanesJson) -> str:
    """Returns what the lanes show, for readers without pictures."""
    workers = lanes["workers"]
    busy = sum(w["busy_s"] for w in workers)
    said = (
        f"{_which(lanes)} ran {counted(sum(w['items'] for w in workers), 'item')} and held them for "
        f"{duration(busy * 1000)} in all"
    )
    if busy > 0:
        blocked, cpu, ready = (
            percent(sum(seconds) / busy)
            for seconds in zip(*((w["blocked_s"], w["cpu_s"], w["ready_s"]) for w in workers))
        )
        said += f": {blocked} of it blocked, {cpu} running on a core and {ready} runnable without a core"
    said += "."
    if lanes["left_out"]:
        said += (
            f" Left out: {counted(lanes['left_out'], 'worker')} with less to do, together busy for "
            f"{duration(lanes['left_out_busy_s'] * 1000)}."
        )
    return said


def _which(lanes: LanesJson) -> str:
    shown = len(lanes["workers"])
    if lanes["left_out"]:
        return f"The {shown} busiest of {counted(shown + lanes['left_out'], 'worker')}"
    return counted(shown, "worker")


def _row(worker: LaneWorkerJson) -> dict[str, object]:
    known = worker["cpu_s"] + worker["blocked_s"] + worker["ready_s"]
    return {
        "tid": worker["tid"],
        "name": worker["name"] or ABSENT,
        "items": f"{worker['items']:,}",
        "times": [
            duration(1000 * seconds)
            for seconds in (worker["busy_s"], worker["cpu_s"], worker["blocked_s"], worker["ready_s"])
        ]
        # Rounded to 1 µs each, so a difference of that order is none.
        + [duration(1000 * max(worker["busy_s"] - known, 0.0)) if worker["busy_s"] - known > 5e-6 else "0"],
    }


def _why_not(analysis: AnalysisJson) -> str:
    if analysis["coverage"]["tier"] == "none":
        return "Without a kernel stream, the capture does not show what the workers did while they held an item."
    return "No worker took an item."
