"""The outcome of a condition on one analysis: passed, failed, or unknown. Also writes the JUnit XML that
continuous-integration systems read.

That XML has no single standard. This module keeps to the common part of Jenkins's schema (junit-10.xsd of its xUnit
plugin), GitLab and Azure Pipelines: testsuites, testsuite, testcase, failure and skipped with the attributes used here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from poolscope.base.errors import InvalidArgument
from poolscope.base.words import duration, percent
from poolscope.check.condition import LATE_REQUESTS, SEVERITIES, Condition, unit_of
from poolscope.contract.analysis_json import AnalysisJson, IncidentJson

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"

CANNOT_TELL = "the verdict is cannot-tell"


@dataclass(frozen=True)
class Outcome:
    """One judged condition."""

    condition: Condition
    status: str
    """passed, failed, or unknown (the capture does not show it)."""
    value: float | str | None
    """The value of the key, the verdict, or the findings that match; None: not known."""
    said: str
    """One sentence for people."""

    def to_json(self) -> dict[str, object]:
        limit = self.condition.limit if self.condition.key else None
        key = ".".join(self.condition.key) if self.condition.key else None
        return {
            "condition": self.condition.text,
            "status": self.status,
            "key": key,
            "value": self.value,
            "limit": limit,
            "unit": unit_of(self.condition.key) if self.condition.key else None,
            "said": self.said,
        }


def evaluate(condition: Condition, analysis: AnalysisJson) -> Outcome:
    """Judges one condition on the content of an analysis.json.

    Raises InvalidArgument if the key leads nowhere or to no number.
    """
    if condition.key is not None:
        return _compare(condition, condition.key, analysis)
    verdict = str(analysis["verdict"]["id"])
    if condition.verdict is not None:
        return Outcome(
            condition, FAILED if verdict == condition.verdict else PASSED, verdict, f"The verdict is {verdict}."
        )
    return _findings(condition, analysis, verdict)


def _findings(condition: Condition, analysis: AnalysisJson, verdict: str) -> Outcome:
    """Judges fired rules by id, or by severity. By severity only causes count, not findings that say that all is
    well."""
    if condition.finding is not None:
        met = [f for f in analysis["findings"] if f["id"] == condition.finding]
        lacking = [r for r in analysis["rules"] if r["id"] == condition.finding and r["status"] == "not-applicable"]
        why = (
            f"{condition.finding} was not checked: the capture lacks {', '.join(lacking[0]['missing'])}"
            if lacking
            else ""
        )
    else:
        assert condition.severity is not None
        least = SEVERITIES.index(condition.severity)
        met = [f for f in analysis["findings"] if f["severity"] in SEVERITIES[least:]]
        why = ""
    names = ", ".join(f"{f['id']} ({f['severity']})" for f in met)
    if met:
        return Outcome(condition, FAILED, names, "; ".join(f"{f['title']}: {f['number']}" for f in met) + ".")
    if verdict == "cannot-tell" and not why:
        why = CANNOT_TELL
    if why:
        return Outcome(condition, UNKNOWN, None, f"Cannot tell: {why}.")
    return Outcome(condition, PASSED, "", "No such finding.")


def _compare(condition: Condition, path: tuple[str, ...], analysis: AnalysisJson) -> Outcome:
    value, at_least = _look_up(condition, path, analysis)
    if value is None:
        return Outcome(condition, UNKNOWN, None, f"Cannot tell: {'.'.join(path)} is unknown in this capture.")
    shown = f"{'at least ' if at_least else ''}{_shown(value, path)}"
    failed = condition.holds(value)
    if path[0] == "attribution" and analysis["verdict"]["id"] == "cannot-tell":
        return Outcome(condition, UNKNOWN, value, f"Cannot tell: {CANNOT_TELL} (computed: {shown}).")
    if at_least and not _certain(condition, failed):
        return Outcome(condition, UNKNOWN, value, f"Cannot tell: {'.'.join(path)} is {shown}, a lower bound.")
    return Outcome(condition, FAILED if failed else PASSED, value, f"{'.'.join(path)} is {shown}.")


def _certain(condition: Condition, failed: bool) -> bool:
    """Returns whether a lower bound decides: it does if every larger value gives the same outcome."""
    return failed == (condition.operator in (">", ">=")) and condition.operator not in ("==", "!=")


def _look_up(condition: Condition, path: tuple[str, ...], analysis: AnalysisJson) -> tuple[float | None, bool]:
    """Returns the number at a path, None if the analysis does not have it, and whether it is only a lower bound."""
    if path[0] in ("incident", "incidents"):
        return _of_incidents(path, analysis)
    if path[0] == LATE_REQUESTS:
        requests = analysis["requests"]
        return (None if requests is None else float(requests["late"]["count"]) if requests["late"] else 0.0), False
    at: object = analysis
    beside: Mapping[str, object] = analysis
    for depth, name in enumerate(path):
        if at is None:
            return None, False
        if not isinstance(at, Mapping) or name not in at:
            raise _leads_nowhere(condition, path[:depth], at)
        beside, at = at, at[name]
    if at is None:
        return None, False
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise _leads_nowhere(condition, path, at)
    bounds = beside.get("at_least", ())
    return float(at), isinstance(bounds, (list, tuple)) and path[-1] in bounds


def _of_incidents(path: tuple[str, ...], analysis: AnalysisJson) -> tuple[float, bool]:
    """Returns how many incidents matter, or the largest value of any of them (0 without one), and whether it is a lower
    bound. With the verdict cannot-tell, the program may have had more and worse incidents than the capture shows."""
    incidents = [i for i in analysis["incidents"] if i["matters"]]
    unsure = analysis["verdict"]["id"] == "cannot-tell"
    if path[0] == "incidents":
        return float(len(incidents)), unsure
    values = [_of_incident(i, path[1]) for i in incidents]
    return max(values, default=0.0), unsure or any(i["at_least"] for i in incidents)


def _of_incident(incident: IncidentJson, key: str) -> float:
    values = {
        "late": incident["late"],
        "longest_ms": incident["longest_ms"],
        "item_seconds": incident["item_seconds"],
        "length_s": incident["end_s"] - incident["start_s"],
    }
    return float(values[key])


def _leads_nowhere(condition: Condition, path: tuple[str, ...], at: object) -> InvalidArgument:
    """Returns an error that lists the keys that exist, so that the next try succeeds."""
    where = ".".join(path) or "analysis.json"
    if isinstance(at, Mapping):
        why = f"{where} has: {', '.join(str(k) for k in at if k != 'at_least')}"
    else:
        why = f"{where} is not a number, so it cannot be compared"
    return InvalidArgument(f"condition '{condition.text}': {why}")


def _shown(value: float, path: tuple[str, ...]) -> str:
    unit = unit_of(path)
    if unit in ("ms", "s"):
        ms = value if unit == "ms" else value * 1e3
        return f"-{duration(-ms)}" if ms < 0 else duration(ms)
    return percent(value) if unit == "share" else f"{value:,.6g}"


NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent."""


def junit_xml(name: str, outcomes: Sequence[Outcome], verdict: str) -> str:
    """Returns one test suite for the capture `name`, with one test case per condition. A condition without enough
    evidence is skipped.

    `verdict` is the verdict's sentence, which each failure quotes. The suite has no times, because a condition takes
    none.
    """
    failures = sum(outcome.status == FAILED for outcome in outcomes)
    skipped = sum(outcome.status == UNKNOWN for outcome in outcomes)
    totals = {"tests": str(len(outcomes)), "failures": str(failures), "errors": "0", "time": "0"}
    suites = ElementTree.Element("testsuites", {"name": "poolscope check", **totals})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _text(name), **totals, "skipped": str(skipped)})
    for outcome in outcomes:
        attributes = {"classname": "poolscope.check", "name": _text(outcome.condition.text), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if outcome.status == FAILED:
            failure = ElementTree.SubElement(case, "failure", {"message": _text(outcome.said), "type": "condition"})
            failure.text = _text(verdict)
        elif outcome.status == UNKNOWN:
            ElementTree.SubElement(case, "skipped", {"message": _text(outcome.said)})
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _text(value: str) -> str:
    return NOT_XML.sub("\ufffd", value)
