"""Locks and waits that the runtime reported, for captures that do not show which items they delayed."""

from __future__ import annotations

from poolscope.blame.kinds import KIND_WORDS
from poolscope.contract.analysis_json import AnalysisJson, ThreadWaitJson, ThreadWaitsJson
from poolscope.html.formatting import ABSENT, counted, duration, percent

NO_STACK = "no stack"
NO_NAME = "code without a name"
SHOWN = 5


def told_waits(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the waits by method, or None if `blame` has more or no wait was recorded."""
    waits = analysis.get("thread_waits")
    if waits is None:
        return None
    rows = [_row(row, waits) for row in waits["rows"]]
    return {
        "words": _words(waits),
        "why": _why(analysis),
        "first": rows[:SHOWN],
        "more": rows[SHOWN:],
        "more_words": counted(len(rows[SHOWN:]), "more method"),
        "left_out": f"Left out: {counted(waits['rows_left_out'], 'method')}." if waits["rows_left_out"] else "",
    }


def _words(waits: ThreadWaitsJson) -> str:
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
