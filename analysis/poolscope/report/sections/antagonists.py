"""The holders of the cores while a worker was runnable and had none."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, AntagonistJson
from poolscope.html.formatting import ABSENT, count, duration, percent

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
        "gist": _gist(entries),
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


def _gist(entries: list[AntagonistJson] | None) -> str:
    """Returns the line that the folded section shows."""
    if entries is None:
        return "The capture does not show who held them: that takes a kernel stream of the whole system."
    if not entries:
        return "No worker was ever runnable without a core."
    first = entries[0]
    who = first["process"] or GROUPS.get(first["group"], first["group"])
    return f"While a worker had none, {who} held {percent(first['share'])} of the core time."
