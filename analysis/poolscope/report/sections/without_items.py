"""What a recording without work items, or without the kernel's events, still shows: one line per fact, locks and waits
that the runtime reported, and the pool by the runtime's own counters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from poolscope.contract.analysis_json import AnalysisJson, CountersJson, ThreadWaitJson, ThreadWaitsJson
from poolscope.html.formatting import ABSENT, count, counted, duration, moment, percent
from poolscope.measures.counted_waits import bounds_words, no_bounds_words, stall_words
from poolscope.naming.choice import KIND_WORDS
from poolscope.report.charts.pool import pool_recorded

NO_STACK = "no stack"
NO_NAME = "code without a name"
SHOWN_WAITS = 5


def told_waits(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the waits by method. None if `blame` shows more, or if no wait was recorded."""
    waits = analysis.get("thread_waits")
    if waits is None:
        return None
    rows = [_row(row, waits) for row in waits["rows"]]
    return {
        "words": _waits_words(waits),
        "why": _why(analysis),
        "first": rows[:SHOWN_WAITS],
        "more": rows[SHOWN_WAITS:],
        "more_words": counted(len(rows[SHOWN_WAITS:]), "more method"),
        "left_out": f"Left out: {counted(waits['rows_left_out'], 'method')}." if waits["rows_left_out"] else "",
    }


def _waits_words(waits: ThreadWaitsJson) -> str:
    parts = []
    if waits["locks"]:
        parts.append(
            f"{counted(waits['locks'], 'wait')} for a contended lock ({duration(waits['locks_s'] * 1e3)} of thread time)"
        )
    if waits["waits"]:
        parts.append(f"{counted(waits['waits'], 'other wait')} ({duration(waits['waits_s'] * 1e3)})")
    said = f"The runtime reported {' and '.join(parts)} on {counted(waits['threads'], 'thread')}."
    if waits["open"]:
        said += f" {counted(waits['open'], 'wait')} had not ended when the recording did."
    return said


def _why(analysis: AnalysisJson) -> str:
    if not analysis["coverage"]["items_recorded"]:
        return "Work items were not recorded, so this page cannot tell which waits made an item late."
    return "Without the kernel's events, this page cannot tell which waits made an item late."


def _row(row: ThreadWaitJson, waits: ThreadWaitsJson) -> dict[str, object]:
    whole = waits["locks_s"] if row["lock"] else waits["waits_s"]
    return {
        "method": row["method"] or (NO_NAME if row["stack"] else NO_STACK),
        "own": row["own"],
        "kind": KIND_WORDS[row["kind"]] if row["kind"] != "unknown" else "wait" if row["stack"] else ABSENT,
        "count": f"{row['count']:,}",
        "threads": f"{row['threads']:,}",
        "thread_time": duration(row["thread_s"] * 1e3),
        "longest": duration(row["longest_s"] * 1e3),
        "share": f"{percent(row['thread_s'] / whole)} of {'locks' if row['lock'] else 'other waits'}"
        if whole
        else ABSENT,
        "frames": [frame or NO_NAME for frame in row["stack"]],
    }


@dataclass(frozen=True)
class Shown:
    """A fact of the recording."""

    text: str
    anchor: str
    """The part of the page that shows it."""


def shown_lines(analysis: AnalysisJson) -> list[Shown]:
    """Returns the facts that the trace shows without work items. Empty if work items were recorded, because the verdict
    then has them."""
    if analysis["coverage"]["items_recorded"]:
        return []
    lines = [_pool(analysis), _stood(analysis), _waits(analysis), _counters(analysis)]
    return [line for line in lines if line is not None]


def _pool(analysis: AnalysisJson) -> Shown | None:
    """Returns why the pool changed its goal, most frequent reason first."""
    totals = sorted(analysis["timeline"]["pool_change_totals"], key=lambda total: -total["times"])
    if not totals or not pool_recorded(analysis):
        return None
    reasons = "; ".join(
        f"{total['words']} ({counted(total['times'], 'time')}, {_when(total['first_s'], total['last_s'])})"
        for total in totals
    )
    return Shown(f"Why the pool changed its goal: {reasons}.", "pool")


def _when(first: float, last: float) -> str:
    return f"at {moment(first)}" if moment(first) == moment(last) else f"{moment(first)} to {moment(last)}"


def _stood(analysis: AnalysisJson) -> Shown | None:
    """Returns where the pool's threads were sampled."""
    profile = analysis.get("profile")
    if profile is None:
        return None
    threads = [thread for thread in profile["threads"] if thread["pool"]]
    samples = sum(thread["samples"] for thread in threads)
    mostly = Counter(thread["method"] for thread in threads if thread["method"])
    if not samples or not mostly:
        return Shown(f"Where threads stood: {counted(profile['total'], 'sample')} with stacks.", "profile")
    idle = sum(thread["idle"] for thread in threads)
    method, of = mostly.most_common(1)[0]
    number = count(len(threads))
    who = f"the {number} most sampled threads" if profile["threads_left_out"] else f"{number} threads"
    if not idle:
        return Shown(f"{count(of)} of {who} of the pool stood mostly in {method}.", "profile")
    return Shown(
        f"{who[0].upper()}{who[1:]} of the pool waited for an item in {percent(idle / samples)} of their samples; otherwise "
        f"{count(of)} of them stood mostly in {method}.",
        "profile",
    )


def _waits(analysis: AnalysisJson) -> Shown | None:
    told = told_waits(analysis)
    return None if told is None else Shown(str(told["words"]), "blame")


def _counters(analysis: AnalysisJson) -> Shown | None:
    if analysis.get("counters") is None:
        return None
    return Shown(
        "The queue\u2019s length, threads and completed items over time, by the runtime\u2019s own counters.",
        "counters",
    )


def counters_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of counters. None without counters, or if the work items show more."""
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
