"""Findings with their evidence, and the rules that found nothing or could not look."""

from __future__ import annotations

from typing import Any

from poolscope.report.formatting import duration

SEVERITIES = {
    "high": "most of the wait",
    "medium": "a good part",
    "low": "some of it",
    "ok": "all well",
}
GAP = ("coverage-low", "gap in the evidence")
"""A gap costs no wait, so words about shares of it would be wrong."""


def rules_section(analysis: dict[str, Any]) -> dict[str, Any]:
    rules = analysis["rules"]
    return {
        "findings": [
            {
                **{key: finding[key] for key in ("id", "title", "number", "evidence", "severity")},
                "weight": GAP[1]
                if finding["id"] == GAP[0]
                else SEVERITIES.get(finding["severity"], finding["severity"]),
                "cost": duration(finding["item_seconds"] * 1000) if finding["item_seconds"] else None,
            }
            for finding in analysis["findings"]
        ],
        # That `healthy` did not fire says only that items waited, which the verdict says already.
        "passed": [rule for rule in rules if rule["status"] == "passed" and rule["id"] != "healthy"],
        "not_applicable": [rule for rule in rules if rule["status"] == "not-applicable"],
    }
