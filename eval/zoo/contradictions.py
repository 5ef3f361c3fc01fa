"""Finds contradictions of a page about a fix, in the figures of analysis.json and in the durations of its texts.

A fix has one figure: the list `fixes` holds it, and every other place repeats it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from poolscope.base.limits import MODEL_ERROR
from poolscope.base.words import duration, predicted

PREDICTION = re.compile(
    r"Predicted mean delay: (?P<after>.+?)(?: \([^)]* to [^)]*\))?, measured (?P<before>[\d.]+ \S+?)[.;]"
)
"""The wording of every advice; the interval in parentheses is skipped."""
PRESCRIBED = (
    re.compile(r"minimum(?: worker threads| of threads)? to (?:at least )?(?P<threads>[\d,]+)"),
    re.compile(r"with a minimum of (?P<threads>[\d,]+)"),
    re.compile(r"lower it to (?P<threads>[\d,]+)"),
)
"""Places where a text names a minimum of threads."""
REJECTED = "not-recommended"


def contradictions(analysis: dict[str, Any]) -> list[str]:
    """Returns the contradictions of one page in words; empty if it has none."""
    return [*_one_figure(analysis), *_texts(analysis), *_misfit(analysis), *_worse(analysis)]


def _one_figure(analysis: dict[str, Any]) -> Iterator[str]:
    """Yields each fix that is listed twice, each second baseline, and each place that predicts another figure than the
    list."""
    fixes = {fix["id"]: fix for fix in analysis["fixes"]}
    if len(fixes) < len(analysis["fixes"]):
        yield "a fix is listed twice"
    if len({fix["before_ms"] for fix in analysis["fixes"]}) > 1:
        yield "the fixes have different baselines"
    for finding in analysis["findings"]:
        for told in finding["predicted"]:
            fix = fixes.get(told["fix"])
            if fix is None:
                yield f"{finding['id']} predicts {told['fix']}, which the list has not"
            elif (told["delay_ms"], told["delay_after_ms"]) != (fix["before_ms"], fix["after_ms"]):
                yield f"{finding['id']}: {told['fix']} {told['delay_after_ms']} ms, in the list {fix['after_ms']} ms"
    for row in (analysis["what_if"] or {"rows": []})["rows"]:
        name = _fix_of(row)
        mean = row["delay_ms"]["mean"] if row["delay_ms"] else None
        if name in fixes and mean is not None and mean != fixes[name]["after_ms"]:
            yield f"the table has {mean} ms for {name}, the list {fixes[name]['after_ms']} ms"


def _fix_of(row: dict[str, Any]) -> str | None:
    """Returns the id of the fix in a row of the table, or None if the row is no fix or has more than one change."""
    setting = row["setting"]
    if row["group"] == "min-threads":
        return f"threads:{setting['min_threads']}"
    if row["group"] == "fix" and setting["async"]:
        return "await"
    return None


def _texts(analysis: dict[str, Any]) -> Iterator[str]:
    """Yields each prediction in an advice whose delay or baseline the list does not have."""
    said = {
        predicted(f["after_ms"], f["after_ms"], f["after_ms"], f["lower_bound"]): f["id"]
        for f in analysis["fixes"]
        if f["after_ms"] is not None
    }
    baselines = {duration(fix["before_ms"]) for fix in analysis["fixes"]}
    for where, text in _advice(analysis):
        for match in PREDICTION.finditer(text):
            if match["after"] not in said:
                yield f"{where} predicts {match['after']}, which no fix of the list has"
            if match["before"] not in baselines:
                yield f"{where} measured {match['before']}, the list {', '.join(sorted(baselines))}"


def _misfit(analysis: dict[str, Any]) -> Iterator[str]:
    """Yields each figure or number that is given although the replay of the run as recorded is off by more than the
    limit."""
    errors = [fix["model_error"] for fix in analysis["fixes"]] + [analysis["coverage"]["replay_error"]]
    off = [error for error in errors if error is not None and abs(error) > MODEL_ERROR]
    if not off:
        return
    for fix in analysis["fixes"]:
        if fix["after_ms"] is not None and fix["status"] != REJECTED:
            yield f"{fix['id']} is predicted by a model that is {off[0]:.0%} off"
    for where, text in _advice(analysis):
        if any(pattern.search(text) for pattern in PRESCRIBED):
            yield f"{where} prescribes a setting by a model that is {off[0]:.0%} off"


def _worse(analysis: dict[str, Any]) -> Iterator[str]:
    """Yields each fix that makes items end later, and each text that prescribes a fix that the list rejects."""
    for fix in analysis["fixes"]:
        if fix["status"] != REJECTED and fix["after_ms"] is not None and fix["after_ms"] >= fix["before_ms"]:
            yield f"{fix['id']} is offered and worsens: {fix['before_ms']} ms to {fix['after_ms']} ms"
    rejected = {fix["id"] for fix in analysis["fixes"] if fix["status"] == REJECTED}
    for where, text in _advice(analysis):
        for match in PRESCRIBED[0].finditer(text):
            named = f"threads:{match['threads'].replace(',', '')}"
            if named in rejected and not text.startswith(("Do not", "More threads only")):
                yield f"{where} prescribes {named}, which the list rejects"


def _advice(analysis: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for finding in analysis["findings"]:
        for text in finding["advice"]:
            yield f"the advice of {finding['id']}", text
    for advice in (analysis["what_if"] or {"advice": []})["advice"]:
        yield f"what-if ({advice['id']})", advice["text"]


def main(folder: Path) -> int:
    """Prints the contradictions of every analysis in a folder and returns the number of pages with one."""
    bad = 0
    for file in sorted(folder.glob("*.json")):
        found = contradictions(json.loads(file.read_text("utf-8")))
        bad += bool(found)
        for line in found:
            print(f"{file.stem}: {line}")
    print(f"{bad} of {len(list(folder.glob('*.json')))} pages contradict themselves")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
