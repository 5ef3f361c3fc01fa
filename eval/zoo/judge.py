"""Judges whether a run got the expected values."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from poolscope.contract.analysis_json import AnalysisJson, FindingJson
from zoo.case import Case

CALM = ("healthy", "no-work")
"""Verdicts that find no cause."""
NO_ANSWER = "cannot-tell"
OWN = ("zoo", "real-zoo", "poolscope-colle", ".NET ", "postgres", "redis-server", "nginx", "beam.smp", "erl_")
"""Prefixes of process names, as the kernel cuts them: the program's other processes, its servers, and the collector."""
ADVICE = ("min-threads-would-help", "min-threads-would-hurt", "wait-would-move")
"""Rules that describe the effect of a change; a forbidden one must not fire at any severity."""


@dataclass(frozen=True)
class Judgement:
    """The verdict of a run, and whether each part of it was right."""

    verdict: str
    confidence: str
    text: str
    right: bool
    """Whether the verdict was fixed beforehand; beside spinning processes an uncertain verdict is right too."""
    blamed: str | None
    blamed_right: bool | None
    """None without a method to blame."""
    endpoint_right: bool | None
    """Whether the verdict's text or its finding names the endpoint. None without an endpoint to name."""
    forbidden: list[str]
    """Rules that fired although they must not."""
    cause_in_healthy: bool
    called_healthy: bool
    """Whether a sick run was called healthy."""
    wrong_and_sure: bool
    strangers_s: float
    """Core time used by processes outside the run while a worker wanted a core, seconds: the machine was not quiet."""

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as they are."""
        return asdict(self)


def judge(case: Case, analysis: AnalysisJson) -> Judgement:
    """Compares analysis.json with the verdicts fixed for the program."""
    program = case.program
    verdict = analysis["verdict"]
    accepted = verdict["id"] in program.accepted(case.framework, case.mode != "launched")
    method = _blamed(program.blame_from, analysis)
    return Judgement(
        verdict=verdict["id"],
        confidence=verdict["confidence"],
        text=verdict["text"],
        right=accepted or (case.spin and verdict["confidence"] != "high"),
        blamed=method,
        blamed_right=None if program.blamed is None else method is not None and bool(re.search(program.blamed, method)),
        endpoint_right=None if program.endpoint is None else bool(re.search(program.endpoint, _said(analysis))),
        forbidden=_forbidden(case, analysis),
        cause_in_healthy=program.kind == "healthy" and verdict["id"] not in (*CALM, NO_ANSWER),
        called_healthy=program.kind == "sick" and verdict["id"] in CALM,
        wrong_and_sure=not accepted and verdict["confidence"] == "high",
        strangers_s=round(_strangers_s(analysis), 3),
    )


def _blamed(table: str | None, analysis: AnalysisJson) -> str | None:
    """Returns the method that the page names first."""
    if table == "cpu":
        own = [row["method"] for row in analysis["cpu_methods"] or [] if row["user"] and row["kind"] == "managed"]
        return own[0] if own else None
    if table == "blame":
        named = [row["method"] for row in analysis["blame"] or [] if row["method"]]
        return named[0] if named else None
    if table == "verdict":
        named = [method for finding in _of_the_verdict(analysis) for method in finding["where"]["methods"]]
        return named[0] if named else None
    return None


def _of_the_verdict(analysis: AnalysisJson) -> list[FindingJson]:
    return [finding for finding in analysis["findings"] if finding["id"] == analysis["verdict"]["id"]]


def _said(analysis: AnalysisJson) -> str:
    """Returns the verdict's text and its finding's, one line each."""
    lines = [analysis["verdict"]["text"]]
    for finding in _of_the_verdict(analysis):
        lines += [finding["title"], finding["number"], finding["because"], *finding["evidence"], *finding["advice"]]
    return "\n".join(lines)


def _strangers_s(analysis: AnalysisJson) -> float:
    others = [row for row in analysis["antagonists"] or [] if row["group"] == "other-process"]
    return sum(float(row["core_ms"]) for row in others if not str(row["process"]).startswith(OWN)) / 1000


def _forbidden(case: Case, analysis: AnalysisJson) -> list[str]:
    banned = set(case.program.must_not)
    if case.spin:
        banned.discard("noisy-neighbour")  # there is a neighbour
    loud = {f["id"] for f in analysis["findings"] if f["severity"] == "high" or f["id"] in ADVICE}
    return sorted(banned & {analysis["verdict"]["id"], *loud})
