"""Turns evidence into findings and one verdict."""

from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding, Findings
from poolscope.findings.judged import Judged, JudgedIncident, RuleResult, evaluate, judge_incidents, wait_share
from poolscope.findings.verdict import Verdict, judge

__all__ = [
    "Evidence",
    "Finding",
    "Findings",
    "Judged",
    "JudgedIncident",
    "RuleResult",
    "Verdict",
    "evaluate",
    "judge",
    "judge_incidents",
    "wait_share",
]
