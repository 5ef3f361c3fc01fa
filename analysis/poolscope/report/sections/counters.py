"""The pool by the runtime's own counters, for traces that have these and no work items."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, CountersJson
from poolscope.html.formatting import count, counted, duration, moment
from poolscope.measures.counted_waits import bounds_words, no_bounds_words, stall_words


def counters_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of counters, or None without counters or if the work items say more."""
    counters = analysis.get("counters")
    if counters is None:
        return None
    bounds, why, stall = counters["wait_ms"], counters["no_bounds"], counters["stall"]
    return {
        "words": _words(counters),
        "bounds": bounds_words(bounds["least"], bounds["most"]) if bounds else "",
        "no_bounds": no_bounds_words(why) if why else "",
        "stall": stall_words(stall["from_s"], stall["to_s"], stall["queued"]) if stall else "",
        "rows": [
            {"at": moment(at), "queue": _told(queue), "threads": _told(threads), "rate": _rate(rate)}
            for at, queue, threads, rate in zip(
                counters["seconds"], counters["queue"], counters["threads"], counters["completed_per_s"]
            )
        ],
    }


def _words(counters: CountersJson) -> str:
    every = f", one every {duration(counters['interval_s'] * 1000)}" if counters["interval_s"] else ""
    said = f"The trace has {counted(counters['readings'], 'reading')} of the runtime\u2019s own counters{every}."
    if counters["queue_mean"] is not None:
        peak = counted(counters["queue_peak"] or 0, "item")
        said += f" At a reading the queue held {counters['queue_mean']:,.3g} items on average and {peak} at most."
    threads = [number for number in counters["threads"] if number is not None]
    if threads:
        fewest = f"{count(min(threads))} to " if min(threads) < max(threads) else ""
        said += f" The pool had {fewest}{counted(max(threads), 'thread')}."
    return f"{said} {counted(counters['completed'], 'item')} ended between readings."


def _told(number: int | None) -> str:
    return count(-1 if number is None else number)


def _rate(rate: float | None) -> str:
    return count(None) if rate is None else f"{rate:,.1f}"
