"""Writes a fleet's answer as fleet.json and as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from poolscope.base.sketch import ALPHA, Sketch, merged
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.fleets.answer import SHOWN, FleetAnswer, Step, Trend
from poolscope.fleets.excess import ITEMS, ROUTE, Group
from poolscope.fleets.places import (
    METHODS,
    PLACES,
    captures_json,
    costliest_code,
    first_code,
    late_rows,
    merged_tree,
    places_json,
    sentence,
)
from poolscope.fleets.ranking import Candidate, Ranked
from poolscope.fleets.row import Row
from poolscope.product.causes import CAUSES, CAUSE_WORDS
from poolscope.product.requests import PART_WORDS
from poolscope.version import __version__

FORMAT = 1
VALUES = 50
"""The most values of a key, those with the longest total wait; the others are counted."""
ROUTES = 50
INCIDENTS = 50
OUTLIERS = 20
FAILED = 200


def to_json(answer: FleetAnswer, reports: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Returns the content of fleet.json. The same rows give the same bytes.

    `reports` maps a source to the path of its own report, which becomes a link.
    """
    rows, links = answer.rows, reports or {}
    code = costliest_code(rows)
    incidents = sorted(
        ((row, one) for row in rows for one in row.incidents), key=lambda pair: -float(str(pair[1]["item_seconds"]))
    )
    return {
        "format": FORMAT,
        "tool": {"name": "poolscope", "version": __version__},
        "text": headline(answer),
        "groups_text": groups_sentence(answer),
        "late_limit_ms": answer.late_ms,
        "percentile_error": ALPHA,
        "captures": {
            "asked": len(rows) + len(answer.failed),
            "analysed": len(rows),
            "failed": len(answer.failed),
            "from_cache": sum(row.cached for row in rows),
            "without_kernel_stream": sum("unknown" in row.parts for row in rows),
            "first_utc": min((row.start_utc for row in rows), default=None),
            "last_utc": max((row.start_utc for row in rows), default=None),
            "seconds": round(sum(row.seconds for row in rows), 3),
        },
        "whole": _figures(rows),
        "ranking": [_ranked(answer, row, links) for row in answer.ranking],
        "places": places_json(rows),
        "late": captures_json(rows),
        "late_left_out": max(len(late_rows(rows)) - PLACES, 0),
        "groups": [_groups(answer, key, values) for key, values in answer.values.items()] if rows else [],
        "routes": _routes(answer),
        "trends": [_trend(one) for one in answer.trends],
        "code": code[:METHODS],
        "code_left_out": max(len(code) - METHODS, 0),
        "tree": merged_tree(rows),
        "incidents": [{"source": row.source, **one} for row, one in incidents[:INCIDENTS]],
        "incidents_left_out": max(len(incidents) - INCIDENTS, 0),
        "outliers": [
            {
                "source": one.row.source,
                "mean_ms": round(one.mean_ms, 6),
                "usual_ms": round(one.usual_ms, 6),
                "seconds": round(one.seconds, 3),
                "z": round(one.z, 2),
                "verdict": one.row.verdict,
                "report": links.get(one.row.source),
            }
            for one in answer.outliers[:OUTLIERS]
        ],
        "outliers_left_out": max(len(answer.outliers) - OUTLIERS, 0),
        "failed": [{"source": one.source, "reason": one.reason} for one in answer.failed[:FAILED]],
        "failed_left_out": max(len(answer.failed) - FAILED, 0),
    }


def _figures(rows: Sequence[Row]) -> dict[str, object]:
    wait = merged(row.wait for row in rows)
    latency = merged(row.latency for row in rows if row.latency is not None)
    seconds = {name: sum(row.parts[name].total for row in rows if name in row.parts) / NS_PER_S for name in CAUSES}
    total = sum(seconds.values())
    return {
        "captures": len(rows),
        "items": wait.count,
        "wait_ms": wait.summary_ms(),
        "wait_s": {name: round(value, 6) for name, value in seconds.items()},
        "wait_share": {name: round(value / total, 6) if total else 0.0 for name, value in seconds.items()},
        "requests": latency.count,
        "latency_ms": latency.summary_ms(),
    }


def _groups(answer: FleetAnswer, key: str, values: Sequence[str]) -> dict[str, object]:
    by_value: dict[str, list[Row]] = {}
    for row, value in zip(answer.rows, values, strict=True):
        by_value.setdefault(value, []).append(row)
    ordered = sorted(by_value, key=lambda value: (-sum(row.wait.total for row in by_value[value]), value))
    shown = ordered[:VALUES]
    if key == "hour":
        shown = sorted(shown)
    return {
        "key": key,
        "values": [_figures(by_value[value]) | {"value": value} for value in shown],
        "left_out": max(len(ordered) - VALUES, 0),
    }


def _routes(answer: FleetAnswer) -> list[dict[str, object]]:
    """Returns the routes by service, longest total time first."""
    found: dict[tuple[str, str], list[tuple[Sketch, Mapping[str, int], int]]] = {}
    for row, service in zip(answer.rows, answer.values.get("service", []), strict=True):
        for route in row.routes:
            found.setdefault((service, route.name), []).append((route.latency, route.parts_ns, route.whole))
    rows: list[dict[str, object]] = []
    for (service, name), parts in found.items():
        latency = merged(sketch for sketch, _, _ in parts)
        whole = sum(number for _, _, number in parts)
        sums = {part: sum(one.get(part, 0) for _, one, _ in parts) for part in (parts[0][1] or {})}
        rows.append(
            {
                "service": service,
                "route": name,
                "captures": len(parts),
                "requests": latency.count,
                "seconds": round(latency.total / NS_PER_S, 6),
                "latency_ms": latency.summary_ms(),
                "parts_ms": {part: round(ns / whole / NS_PER_MS, 6) for part, ns in sums.items()} if whole else None,
            }
        )
    rows.sort(key=lambda one: (-float(str(one["seconds"])), str(one["service"]), str(one["route"])))
    return rows[:ROUTES]


def _group(group: Group) -> dict[str, str]:
    return {"key": group.key, "value": group.value}


def _ranked(answer: FleetAnswer, row: Ranked, links: Mapping[str, str]) -> dict[str, object]:
    found = row.candidate.found
    mine = [answer.rows[int(at)] for at in row.captures]
    worst = sorted(mine, key=lambda one: (-one.wait.mean if one.wait.count else 0.0, one.source))[:3]
    low, high = found.interval_ms
    return {
        **_group(row.candidate.group),
        "text": row_text(row),
        "words": cause_words(row.candidate),
        "of": row.candidate.of,
        "cause": row.candidate.cause,
        "captures": found.captures,
        "rest": found.rest,
        "not_comparable": found.alone,
        "seconds": round(found.seconds, 3),
        "share": round(row.share, 6),
        "group_ms": round(found.group_ms, 6),
        "rest_ms": round(found.rest_ms, 6),
        "more_ms": [round(found.more_ms, 6), round(low, 6), round(high, 6)],
        "p": found.p,
        "also": [
            {
                "words": cause_words(one),
                "of": one.of,
                "cause": one.cause,
                "seconds": round(one.found.seconds, 3),
                "more_ms": round(one.found.more_ms, 6),
            }
            for one in row.also
        ],
        "same_as": [_group(group) for group in row.same_as],
        "only_with": None if row.only_with is None else _group(row.only_with),
        "code": None if row.candidate.group.route is not None else first_code(mine),
        "worst": [{"source": one.source, "report": links.get(one.source)} for one in worst],
    }


def _trend(one: Trend) -> dict[str, object]:
    return {
        "service": one.service,
        "versions": [
            {
                "version_name": version.name,
                "first_utc": version.first_utc,
                "captures": version.captures,
                "left_out": version.left_out,
                "items": version.wait.count,
                "wait_ms": version.wait.summary_ms(),
                "requests": version.latency.count,
                "latency_ms": version.latency.summary_ms(),
            }
            for version in one.versions
        ],
        "steps": [_step(step) for step in one.steps],
    }


def _step(step: Step) -> dict[str, object]:
    content = None if step.found is None else step.found.to_json()
    return {
        "before": step.before,
        "after": step.after,
        "text": "Cannot tell: fewer than three captures of a version." if content is None else content["text"],
        "rows": []
        if content is None
        else [row for row in content["rows"] if row["key"] in SHOWN and row["route"] is None],
    }


FIRST = 3
"""The number of rows that the headline names."""


def headline(answer: FleetAnswer) -> str:
    """Returns the headline: where the excess delay is, that there is none, or that the data is too little; and the
    places of late requests. The latter come first if no group of captures stands out."""
    said = [groups_sentence(answer), sentence(answer.rows)]
    return " ".join(one for one in (said if answer.ranking else reversed(said)) if one)


def groups_sentence(answer: FleetAnswer) -> str:
    """Returns where the excess delay is, or why no group is named."""
    if not answer.rows:
        return "No capture could be analysed."
    named = [f"{named_group(row.candidate.group)} ({cause_words(row.candidate)})" for row in answer.ranking[:FIRST]]
    if named:
        more = f", and {len(answer.ranking) - FIRST} more" if len(answer.ranking) > FIRST else ""
        return f"Delay that the others do not have: {'; '.join(named)}{more}."
    if not any((own.count > 0).any() for own in answer.figures.whole.values()):
        return "Cannot tell where the delay is: no capture has a kernel stream, so no wait is split."
    if len(answer.rows) < 6:
        return "Cannot tell whether a group stands out: that takes three captures of it and three of others."
    return "No group of captures has more delay than chance explains."


def named_group(group: Group) -> str:
    return f"{group.key} {group.value}"


def cause_words(candidate: Candidate) -> str:
    """Returns the cause in words, and what it delays."""
    if candidate.of == ITEMS:
        return CAUSE_WORDS[candidate.cause]
    return f"requests: {PART_WORDS[candidate.cause]}"


def row_text(row: Ranked) -> str:
    """Returns a row of the ranking as text: the excess, the comparison, and what cannot be reported."""
    found, group = row.candidate.found, row.candidate.group
    noun = "work item" if row.candidate.of == ITEMS else "request"
    against = "the other routes of the same captures" if group.key == ROUTE else "other captures of the same services"
    low, high = found.interval_ms
    text = (
        f"{_capital(named_group(group))}: {cause_words(row.candidate)} of {_ms(found.group_ms)} per {noun}, "
        f"{_ms(found.rest_ms)} in {against}: {_ms(found.more_ms)} more "
        f"(95 % interval {_ms(low)} to {_ms(high)}, {found.captures} captures against {found.rest}), "
        f"{duration(found.seconds * 1e3)} in all, {percent(row.share)} of all such delay."
    )
    if row.same_as:
        others = ", ".join(named_group(one) for one in row.same_as)
        text += f" The same captures have {others} too, so either may be the cause."
    if row.only_with is not None:
        text += f" Only together with {named_group(row.only_with)}: neither alone has it."
    if found.alone:
        text += f" {found.alone} of its captures have nothing to compare with."
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ms(ms: float) -> str:
    return "0" if abs(ms) < 1e-4 else f"-{duration(-ms)}" if ms < 0 else duration(ms)
