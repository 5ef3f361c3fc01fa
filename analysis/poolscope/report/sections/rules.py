"""Findings with their evidence, and the rules that found nothing or could not look."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, FindingJson, FixJson, WhereJson
from poolscope.html.formatting import counted, duration, moment
from poolscope.report.sections.advice import REJECTED, before, figure, mean_of

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
"""Findings that cost no wait of their own, so that words about shares of it would be wrong."""


SECTIONS = {
    "blame": "what held the threads",
    "cpu": "what the cores ran",
    "cores": "who held the cores",
    "whatif": "other settings, simulated",
    "requests": "requests, and the services that they waited for",
    "calls": "calls through HttpClient",
}
"""The parts of the page that draw a finding's cause, by anchor."""


def rules_section(analysis: AnalysisJson) -> dict[str, object]:
    rules = analysis["rules"]
    told = {story["item"] for story in analysis["worst_items"]}
    # That `healthy` did not fire says only that items waited, which the verdict says already.
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
    """Returns each fix alone that this finding is about, and the mean with it, in the order of `fixes`."""
    own = {predicted["fix"] for predicted in finding["predicted"]}
    return [
        {"mean": mean_of(analysis), "title": fix["label"], "before": before(fix, analysis), "after": figure(fix)}
        for fix in analysis["fixes"]
        if fix["id"] in own and fix["status"] != REJECTED
    ]


def _unpredicted(finding: FindingJson, count: int) -> str | None:
    """Returns where no model covers the fix: what the cause cost per item; None if there is a prediction or no cost."""
    if finding["predicted"] or not finding["item_seconds"] or not count:
        return None
    return duration(finding["item_seconds"] * 1000 / count)


def _where(where: WhereJson, told: set[int]) -> dict[str, object]:
    """Returns the evidence as links. `told`: the items whose story is on the page, which a link can lead to."""
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
