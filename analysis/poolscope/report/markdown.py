"""The report's essence as Markdown, for the body of a ticket."""

from __future__ import annotations

from typing import Any

from poolscope.product.causes import CAUSE_WORDS
from poolscope.report.escape import markdown
from poolscope.report.formatting import duration, moment, percent
from poolscope.report.sections.advice import fixes
from poolscope.report.sections.verdict import coverage_line


def to_markdown(analysis: dict[str, Any]) -> str:
    """Verdict, coverage, split, fixes and what was captured. Names from the capture are escaped."""
    verdict, capture = analysis["verdict"], analysis["capture"]
    target, host = capture["target"], capture["host"]
    lines = [
        f"**{markdown(verdict['text'])}**",
        "",
        f"Verdict `{verdict['id']}`, confidence {verdict['confidence']}. "
        + markdown("; ".join(c.text for c in coverage_line(analysis["coverage"])) + "."),
        *(f"- {markdown(reason)}" for reason in dict.fromkeys(verdict["reasons"])),
        "",
    ]
    split = analysis["attribution"]
    if split:
        lines += ["| part of the wait | mean per item | share |", "| --- | ---: | ---: |"]
        lines += [
            f"| {CAUSE_WORDS[cause]} | {duration(ms)} | {percent(split['wait_share'][cause])} |"
            for cause, ms in split["wait_ms"].items()
        ]
        lines.append("")
    rows = fixes(split)
    if rows:
        lines += ["| one fix alone | mean delay now | with the fix |", "| --- | ---: | ---: |"]
        lines += [f"| {row['title']} | {row['before']} | {row['after']} |" for row in rows] + [""]
    advice = list(dict.fromkeys(line for finding in analysis["findings"] for line in finding["advice"]))
    lines += [f"- {markdown(line)}" for line in advice] + [""] * bool(advice)
    lines.append(
        markdown(
            f"Captured: {target.get('name')} (process {target.get('pid')}, {target.get('runtime')}) on "
            f"{host.get('name')} ({host.get('os')}, kernel {host.get('kernel')}, {target.get('cpus_allowed')} cores allowed), "
            f"{capture['start_utc']} UTC, for {moment(capture['seconds'])}."
        )
    )
    return "\n".join(lines) + "\n"
