"""Rows of the comparison, and their table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BEGIN = "<!-- measured: begin (made by ./build.sh bench tiers) -->"
END = "<!-- measured: end -->"
PARTS = ("injection", "blocking", "core", "runtime")
STATES = ("cpu", "blocked", "ready")
HEAD = ["scenario", "tier", "verdict, confidence", "agrees", "wait", *PARTS, *STATES, "replay error"]


def row(scenario: str, tier: str, psi: float, analysis: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of one capture; durations are means per item in ms."""
    base: dict[str, Any] = {"scenario": scenario, "tier": tier, "psi": psi}
    if "failed" in analysis:
        return {**base, "failed": analysis["failed"]}
    attribution = analysis["attribution"]
    return {
        **base,
        "verdict": analysis["verdict"]["id"],
        "confidence": analysis["verdict"]["confidence"],
        "why": analysis["verdict"]["text"] if analysis["verdict"]["id"] == "cannot-tell" else None,
        "found": [finding["id"] for finding in analysis["findings"]],
        "wait": analysis["items"]["wait_ms"]["mean"],
        "parts": None if attribution is None else {p: attribution["wait_ms"][p] for p in PARTS},
        "states": None if attribution is None else {s: attribution["execution_ms"][s] for s in STATES},
        "bounds": None if attribution is None else attribution.get("execution_bounds_ms"),
        "replay_error": analysis["coverage"]["replay_error"],
        "lost": analysis["coverage"]["lost"] + analysis["coverage"]["lost_scheduler"],
    }


def agrees(rows: Sequence[dict[str, Any]], one: dict[str, Any]) -> str:
    """Returns whether a verdict equals that of the scenario's best tier; `cannot-tell` is no disagreement."""
    best = next(r for r in rows if r["scenario"] == one["scenario"])
    if one is best or "failed" in best:
        return ""
    if one["verdict"] == "cannot-tell":
        return "cannot tell"
    return "yes" if one["verdict"] == best["verdict"] else "**no**"


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Returns the table, and below it the reasons of captures that could not tell, and the disturbed runs."""
    lines = ["", "| " + " | ".join(HEAD) + " |", "| " + " | ".join(["---"] * len(HEAD)) + " |"]
    notes = []
    previous = None
    for one in rows:
        name = "" if one["scenario"] == previous else f"`{one['scenario']}`"
        previous = one["scenario"]
        if "failed" in one:
            cells = [name, f"`{one['tier']}`", f"not to be had: {one['failed']}", *[""] * (len(HEAD) - 3)]
        else:
            cells = [
                name,
                f"`{one['tier']}`",
                f"{one['verdict']}, {one['confidence']}",
                agrees(rows, one),
                _ms(one["wait"]),
                *[_ms(one["parts"][p]) if one["parts"] else "-" for p in PARTS],
                *[_state(one, s) for s in STATES],
                "-" if one["replay_error"] is None else f"{100 * abs(one['replay_error']):.1f} %",
            ]
            if one["why"]:
                notes.append(f"- `{one['scenario']}` under `{one['tier']}`: {one['why']}")
            if one["lost"]:
                notes.append(f"- `{one['scenario']}` under `{one['tier']}`: {one['lost']:,} events lost.")
        lines.append("| " + " | ".join(cells) + " |")
    loudest = max(one["psi"] for one in rows)
    notes.append(f"- CPU pressure (PSI `some avg10`) before the runs: at most {loudest:.0f} %.")
    return "\n".join([*lines, "", *notes, ""]) + "\n"


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _state(one: dict[str, Any], state: str) -> str:
    if one["states"] is None:
        return "-"
    bounds = (one["bounds"] or {}).get(state)
    text = _ms(one["states"][state])
    return text if not bounds or bounds[0] == bounds[1] else f"{text} ({_ms(bounds[0])} to {_ms(bounds[1])})"
