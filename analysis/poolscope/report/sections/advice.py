"""What to do: the advice of every finding, and the one list of fixes with what each is predicted to bring."""

from __future__ import annotations

from typing import Any

from poolscope.base import words
from poolscope.html.formatting import duration, percent

CAPTURE_AGAIN = "coverage-low"
"""The one finding whose advice is about the next capture, not about the process."""
REJECTED = "not-recommended"


def advice_section(analysis: dict[str, Any]) -> dict[str, Any]:
    said: set[str] = set()
    causes, capture_again = [], []
    for finding in analysis["findings"]:
        new = finding["advice"]
        if said.issuperset(new):
            continue
        # Kept whole: a line that begins with "Or" needs the one before it, even where that was said already.
        said.update(new)
        if finding["id"] == CAPTURE_AGAIN:
            capture_again += new
        else:
            causes.append({"title": finding["title"], "number": finding["number"], "advice": new})
    capture_again += [
        f"To get {r.get('wanted') or r.get('stream')}: {r['how']}"
        for r in analysis["capture"]["refused"]
        if r.get("how")
    ]
    return {
        "causes": causes,
        "capture_again": capture_again,
        "fixes": fixes(analysis),
        "rejected": rejected(analysis),
        "bound": any(f["lower_bound"] for f in analysis["fixes"]),
        "model_error": _model_error(analysis),
    }


def fixes(analysis: dict[str, Any]) -> list[dict[str, Any]]:
    """The fixes that shorten the delay, best first: the mean delay now and with each. Empty where there is none."""
    return [
        {
            "title": fix["label"],
            "status": fix["status"],
            "before": duration(fix["before_ms"]),
            "after": figure(fix),
            "left_percent": round(100 * min(fix["after_ms"] / fix["before_ms"], 1.0), 2) if fix["before_ms"] else 0.0,
        }
        for fix in analysis["fixes"]
        if fix["status"] != REJECTED
    ]


def rejected(analysis: dict[str, Any]) -> list[dict[str, str]]:
    """Those that are not recommended: label, why, and the figures where there are some."""
    return [
        {
            "title": fix["label"],
            "reason": fix["reason"],
            "figures": f"mean delay {figure(fix)}, measured {duration(fix['before_ms'])}" if figure(fix) else "",
        }
        for fix in analysis["fixes"]
        if fix["status"] == REJECTED
    ]


def figure(fix: dict[str, Any]) -> str:
    """The predicted mean delay of an entry of `fixes` with its interval; empty: none is predicted."""
    if fix["after_ms"] is None:
        return ""
    return words.predicted(fix["after_ms"], fix["low_ms"], fix["high_ms"], fix["lower_bound"])


def _model_error(analysis: dict[str, Any]) -> str | None:
    """How far the model missed the run as it was; None where no fix has a figure."""
    errors = [fix["model_error"] for fix in analysis["fixes"] if fix["after_ms"] is not None]
    return percent(abs(errors[0])) if errors and errors[0] is not None else None
