"""Findings with their evidence, the rules that passed or could not be applied, and what to do: the advice of every
finding, and the one list of fixes with their predicted effects."""

from __future__ import annotations

import re
from typing import TypedDict

from poolscope.base import words
from poolscope.contract.analysis_json import AnalysisJson, FindingJson, FixJson, WhereJson
from poolscope.html.formatting import counted, duration, moment, percent
from poolscope.whatif.prediction import ITEMS, MEAN, REQUESTS
from poolscope.whatif.request_fit import at_least

CAPTURE_AGAIN = "coverage-low"
"""The only finding whose advice is about the next recording, not about the process."""
REJECTED = "not-recommended"


class Cause(TypedDict):
    """The advice for one cause."""

    title: str
    number: str
    advice: list[str]


class FixRow(TypedDict):
    """A fix that shortens the delay, in words."""

    title: str
    status: str
    before: str
    after: str
    left_percent: float


class RejectedRow(TypedDict):
    """A fix that is not recommended, in words."""

    title: str
    reason: str
    figures: str
    """Empty if none are predicted."""


class Advice(TypedDict):
    """The advice of the page."""

    causes: list[Cause]
    capture_again: list[str]
    """How to improve the evidence."""
    fixes: list[FixRow]
    rejected: list[RejectedRow]
    bound: bool
    """True if a figure is a lower bound."""
    model_error: str | None
    mean: str
    """The kind of the figures: the mean delay of items, or the mean latency of requests."""


def advice_section(analysis: AnalysisJson) -> Advice:
    said: set[str] = set()
    causes: list[Cause] = []
    capture_again: list[str] = []
    for finding in analysis["findings"]:
        new = finding["advice"]
        if said.issuperset(new):
            continue
        # Keep all lines: a line that begins with "Or" needs the one before it, even if that one already appeared.
        said.update(new)
        if finding["id"] == CAPTURE_AGAIN:
            capture_again += new
        else:
            causes.append({"title": finding["title"], "number": finding["number"], "advice": new})
    for refused in analysis["capture"]["refused"]:
        how = refused.get("how")
        if how and not _is_said(how, capture_again):
            capture_again.append(f"To get {refused.get('wanted') or refused.get('stream')}: {how.rstrip('.')}.")
    return {
        "causes": causes,
        "capture_again": capture_again,
        "fixes": fixes(analysis),
        "rejected": rejected(analysis),
        "bound": any(f["lower_bound"] for f in analysis["fixes"]),
        "model_error": _model_error(analysis),
        "mean": mean_of(analysis),
    }


def _is_said(how: str, said: list[str]) -> bool:
    """Returns whether the steps already name the action, or the command at its end."""
    command = how.rstrip(".").rpartition(": ")[2]
    named = re.compile(rf"{re.escape(command)}(?![\w-])") if command.startswith("poolscope recipe") else None
    return any(how.rstrip(".") in step or (named is not None and named.search(step)) for step in said)


def mean_of(analysis: AnalysisJson) -> str:
    """Returns in words what the figures of fixes measure."""
    return MEAN.get(next((fix["of"] for fix in analysis["fixes"]), ITEMS), "")


def fixes(analysis: AnalysisJson) -> list[FixRow]:
    """Returns the fixes that shorten the delay, best first: the mean now and with each. Empty if there are none."""
    return [
        {
            "title": fix["label"],
            "status": fix["status"],
            "before": before(fix, analysis),
            "after": figure(fix),
            "left_percent": _left_percent(fix),
        }
        for fix in analysis["fixes"]
        if fix["status"] != REJECTED
    ]


def rejected(analysis: AnalysisJson) -> list[RejectedRow]:
    """Returns the fixes that are not recommended: label, reason, and the figures if there are any."""
    return [
        {
            "title": fix["label"],
            "reason": fix["reason"] or "",
            "figures": f"{mean_of(analysis)} {figure(fix)}, measured {before(fix, analysis)}" if figure(fix) else "",
        }
        for fix in analysis["fixes"]
        if fix["status"] == REJECTED
    ]


def before(fix: FixJson, analysis: AnalysisJson) -> str:
    """Returns the measured mean, as a lower bound if requests had no answer in the capture."""
    requests = analysis["what_if"] and analysis["what_if"]["requests"]
    return duration(fix["before_ms"], fix["of"] == REQUESTS and bool(requests and at_least(requests)))


def figure(fix: FixJson) -> str:
    """Returns the predicted mean of an entry of `fixes` with its interval. Empty without a prediction."""
    if fix["after_ms"] is None or fix["low_ms"] is None or fix["high_ms"] is None:
        return ""
    return words.predicted(fix["after_ms"], fix["low_ms"], fix["high_ms"], fix["lower_bound"])


def _left_percent(fix: FixJson) -> float:
    """Returns the percentage of the measured mean that remains with a fix."""
    if fix["after_ms"] is None or not fix["before_ms"]:
        return 0.0
    return round(100 * min(fix["after_ms"] / fix["before_ms"], 1.0), 2)


def _model_error(analysis: AnalysisJson) -> str | None:
    """Returns the error of the model for the run as it was, or None if no fix has a figure."""
    errors = [fix["model_error"] for fix in analysis["fixes"] if fix["after_ms"] is not None]
    return percent(abs(errors[0])) if errors and errors[0] is not None else None


SEVERITIES = {
    "high": "most of the wait",
    "medium": "a good part",
    "low": "some of it",
    "ok": "all well",
}
WITHOUT_COST = {
    "coverage-low": "gap in the evidence",
    "hidden-waits": "beside the cause",
    "connection-pool-wait": "time of calls",
    "min-threads-would-help": "advice",
    "min-threads-would-hurt": "advice",
    "wait-would-move": "advice",
}
"""Findings that cost no wait of their own, so that words about shares of the wait would be wrong."""


SECTIONS = {
    "blame": "what held the threads",
    "cpu": "what the cores ran",
    "cores": "who held the cores",
    "whatif": "other settings, simulated",
    "requests": "requests, and the services that they waited for",
    "calls": "calls through HttpClient",
}
"""The parts of the page that show a finding's cause, by anchor."""


def rules_section(analysis: AnalysisJson) -> dict[str, object]:
    rules = analysis["rules"]
    told = {story["item"] for story in analysis["worst_items"]}
    # If `healthy` did not fire, items waited, and the verdict already says so.
    passed = [rule for rule in rules if rule["status"] == "passed" and rule["id"] != "healthy"]
    not_applicable = [rule for rule in rules if rule["status"] == "not-applicable"]
    found = len(analysis["findings"])
    return {
        "findings": [
            {
                "id": finding["id"],
                "title": finding["title"],
                "number": finding["number"],
                "evidence": finding["evidence"],
                "advice": finding["advice"],
                "severity": finding["severity"],
                "weight": WITHOUT_COST.get(finding["id"], SEVERITIES.get(finding["severity"], finding["severity"])),
                "cost": duration(finding["item_seconds"] * 1000) if finding["item_seconds"] else None,
                "ended_late": finding["ended_late"],
                "effects": _effects(finding, analysis),
                "unpredicted": _unpredicted(finding, analysis["items"]["count"]),
                "where": _where(finding["where"], told),
            }
            for finding in analysis["findings"]
        ],
        "passed": passed,
        "not_applicable": not_applicable,
        "gist": f"{counted(found, 'rule')} fired; {len(passed):,} checked and not found, {len(not_applicable):,} not checked",
    }


def _effects(finding: FindingJson, analysis: AnalysisJson) -> list[dict[str, str]]:
    """Returns each single fix of this finding, and the mean with it, in the order of `fixes`."""
    own = {predicted["fix"] for predicted in finding["predicted"]}
    return [
        {"mean": mean_of(analysis), "title": fix["label"], "before": before(fix, analysis), "after": figure(fix)}
        for fix in analysis["fixes"]
        if fix["id"] in own and fix["status"] != REJECTED
    ]


def _unpredicted(finding: FindingJson, count: int) -> str | None:
    """Returns what the cause cost per item if no model covers the fix. None if there is a prediction or no cost."""
    if finding["predicted"] or not finding["item_seconds"] or not count:
        return None
    return duration(finding["item_seconds"] * 1000 / count)


def _where(where: WhereJson, told: set[int]) -> dict[str, object]:
    """Returns the evidence as links. A link to an item needs the item's story on the page."""
    return {
        "windows": [
            {
                "from_s": window["from_s"],
                "to_s": window["to_s"],
                "words": f"{moment(window['from_s'])} to {moment(window['to_s'])}",
            }
            for window in where["windows"]
        ],
        "items": [
            {"id": paid["item"], "cost": duration(paid["cost_ms"]), "told": paid["item"] in told}
            for paid in where["items"]
        ],
        "methods": where["methods"],
        "section": where["section"] if where["section"] in SECTIONS else "",
        "section_words": SECTIONS.get(where["section"], ""),
    }
