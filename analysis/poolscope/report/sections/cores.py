"""Who had the cores: the code of the target that they ran, and who else held them while a worker was runnable and had none."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, AntagonistJson, CpuFlameJson, CpuMethodJson
from poolscope.html.formatting import ABSENT, count, counted, duration, percent
from poolscope.report.sections.blame import NO_NAME


GROUPS = {
    "own-workers": "own workers",
    "own-gc": "own collector threads",
    "own-other": "own other threads",
    "other-process": "other process",
    "unknown": "of an unknown process",
}
"""Groups of analysis.json in words."""


def antagonists_section(analysis: AnalysisJson) -> dict[str, object]:
    entries = analysis["antagonists"]
    return {
        "gist": _antagonists_gist(entries),
        "known": entries is not None,
        "rows": [
            {
                "who": entry["process"] or ABSENT,
                "pid": entry["pid"] if entry["pid"] >= 0 else ABSENT,
                "group": GROUPS.get(entry["group"], entry["group"]),
                "core": duration(entry["core_ms"]),
                "share": percent(entry["share"]),
                "threads": count(entry["threads"]),
                "top": [
                    f"{thread['name'] or 'thread'} ({thread['tid']}) {duration(thread['core_ms'])}"
                    for thread in entry["top_threads"][:3]
                ],
            }
            for entry in entries or []
        ],
    }


def _antagonists_gist(entries: list[AntagonistJson] | None) -> str:
    """Returns the line that the folded section shows."""
    if entries is None:
        return "The capture does not show who held them: that takes a kernel stream of the whole system."
    if not entries:
        return "No worker was ever runnable without a core."
    first = entries[0]
    who = first["process"] or GROUPS.get(first["group"], first["group"])
    return f"While a worker had none, {who} held {percent(first['share'])} of the core time."


SHOWN_OF_CPU = 4
"""Methods in sight, those with most own time; the others are folded."""


def cpu_section(analysis: AnalysisJson) -> dict[str, object]:
    flame = analysis["cpu_flame"]
    rows = [_cpu_row(row) for row in analysis["cpu_methods"] or []]
    more = rows[SHOWN_OF_CPU:]
    return {
        "known": flame is not None,
        "rows": rows,
        "first": rows[:SHOWN_OF_CPU],
        "more": more,
        "more_words": f"{counted(len(more), 'more method')}, and how many samples there are"
        if more
        else "How many samples there are",
        "workers_known": bool(flame and flame["workers"]),
        "notes": _notes(flame) if flame else [],
    }


def _cpu_row(row: CpuMethodJson) -> dict[str, object]:
    return {
        "method": row["method"] or (f"code of {row['module']} without symbols" if row["module"] else NO_NAME),
        "user": row["user"],
        "module": row["module"] or "",
        "source": _source(row),
        "path": row["file"] or "",
        "own": percent(row["self_share"]),
        "total": percent(row["total_share"]),
        "workers": percent(row["workers_share"]),
        "waiting": percent(row["waiting"] / row["total"]) if row["total"] else "",
    }


def _source(row: CpuMethodJson) -> str:
    """Returns a place such as `Spin.cs:22`. If the line that ran is unknown, it is the line at which the method starts,
    and says so."""
    if row["file"] is None:
        return ""
    place = f"{row['file'].replace(chr(92), '/').rsplit('/', 1)[-1]}:{row['line']}"
    return place if row["line_is"] == "executed" else f"starts at {place}"


def _notes(flame: CpuFlameJson) -> list[str]:
    """Returns what the figures rest on, and what they cannot tell."""
    samples, known = flame["samples"], flame["with_stack"]
    notes = [f"{counted(samples, 'sample')} of the process, of these {flame['workers']:,} on the pool's workers."]
    if known < samples:
        notes.append(f"{counted(samples - known, 'sample')} without a call chain, not in these shares.")
    if flame["user_mode_only"]:
        notes.append("Time inside the kernel (system calls) is not sampled in the kernel tier switch.")
    return notes
