"""The results as a table, and the survivors one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

OUTCOMES = ("caught", "timeout", "survived", "unreached")


def share(results: list[dict[str, Any]]) -> float:
    """Returns the share of the faults that a test noticed, 0 to 1; a run that never ended counts as noticed."""
    return sum(r["outcome"] in ("caught", "timeout") for r in results) / max(count(results), 1)


def count(results: list[dict[str, Any]]) -> int:
    """Returns the number of faults tried; a change that does not compile is none."""
    return sum(r["outcome"] in OUTCOMES for r in results)


def markdown(results: list[dict[str, Any]]) -> str:
    """Returns one row for each folder and kind, then the survivors."""
    rows = ["| sources | faults | caught | of these by time limit | survived | no test comes there | share |"]
    rows.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for title, key in (("sources", _folder), ("kind", lambda r: str(r["kind"]))):
        if title == "kind":
            rows.append("| **by kind of fault** | | | | | | |")
        for group in sorted({key(r) for r in results}):
            rows.append(_row(group, [r for r in results if key(r) == group]))
    rows.append(_row("**all**", results))
    left = sorted(
        (r for r in results if r["outcome"] in ("survived", "unreached")), key=lambda r: (r["path"], r["line"])
    )
    rows += ["", "| survivor | before | after |", "| --- | --- | --- |"]
    rows += [f"| `{r['path']}:{r['line']}` | `{_cell(r['before'])}` | `{_cell(r['after'])}` |" for r in left]
    return "\n".join(rows) + "\n"


def _folder(result: dict[str, Any]) -> str:
    path = str(result["path"]).split("poolscope/")[-1]
    return path.rsplit("/", 1)[0] if "/" in path else path


def _row(title: str, results: list[dict[str, Any]]) -> str:
    by = Counter(r["outcome"] for r in results)
    figures = (count(results), by["caught"] + by["timeout"], by["timeout"], by["survived"], by["unreached"])
    return f"| {title} | " + " | ".join(str(n) for n in figures) + f" | {share(results):.1%} |"


def _cell(text: str) -> str:
    short = text if len(text) <= 110 else text[:107] + "..."
    return short.replace("|", "\\|")
