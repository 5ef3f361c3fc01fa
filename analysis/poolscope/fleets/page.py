"""Renders a fleet's answer as one HTML page with charts: a pure function of fleet.json."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from markupsafe import Markup

from poolscope.base.words import duration as said
from poolscope.compare.texts import late_cells
from poolscope.html.chart_style import FLOOR_MS, SHAPES, TICKS_MS, axis, bar_marker, count_axis, plain_layout, variable
from poolscope.html.escape import plotly_text, script_json
from poolscope.html.formatting import counted, duration, percent
from poolscope.html.page import ASSETS, chart_scripts, content_security_policy, environment, redacted_section
from poolscope.product.causes import CAUSES, CAUSE_WORDS

HERE = Path(__file__).parent
TREE_SHARE = 0.02
"""The share of the tree's time below which a branch has no line in the page."""
DEPTH = 60
"""The levels of the tree that are shown: stacks of unknown programs may have any depth."""
KEY_WORDS = {"host class": "host class (machine)", "hour": "hour (UTC)"}


def render(content: dict[str, Any]) -> str:
    """Returns the page of a fleet.json. The same input gives the same bytes."""
    drawn = figures(content)
    scripts = chart_scripts(ASSETS / "charts-page.js")
    page: str = (
        environment(HERE / "templates")
        .get_template("fleet.html")
        .render(
            version=content["tool"]["version"],
            policy=content_security_policy(scripts),
            style=Markup(
                "".join((ASSETS / name).read_text("utf-8") for name in ("style.css", "text.css"))
                + (HERE / "assets" / "fleet.css").read_text("utf-8")
            ),
            scripts=[Markup(script) for script in scripts],
            data={"fleet": script_json(content), "figures": script_json(drawn)},
            charts=sorted(drawn),
            text=content["text"],
            groups_text=content["groups_text"],
            tone="cause"
            if content["ranking"] or content["places"]
            else "cannot-tell"
            if content["text"].startswith("Cannot")
            else "healthy",
            captures=content["captures"],
            kinds=_kinds(content),
            ranking=content["ranking"],
            places=[_place(row) for row in content["places"]],
            late=[(row["source"], *late_cells(row, ""), row["confidence"]) for row in content["late"]],
            late_left_out=content["late_left_out"],
            groups=[_group(group) for group in content["groups"] if len(group["values"]) > 1],
            routes=[_route(route) for route in content["routes"]],
            trends=content["trends"],
            code=[_code(row) for row in content["code"]],
            code_left_out=content["code_left_out"],
            tree=_tree(content["tree"]),
            outliers=content["outliers"],
            outliers_left_out=content["outliers_left_out"],
            incidents=content["incidents"],
            incidents_left_out=content["incidents_left_out"],
            failed=content["failed"],
            failed_left_out=content["failed_left_out"],
            duration=duration,
            seconds=lambda value: said(1e3 * float(value)),
            percent=percent,
            error=f"{100 * content['percentile_error']:g} %",
            redacted=redacted_section(content.get("redacted")),
        )
    )
    return page


def _kinds(content: dict[str, Any]) -> str:
    """Returns the basis of the answer in one line."""
    told, whole = content["captures"], content["whole"]
    words = [
        f"{told['analysed']:,} of {counted(told['asked'], 'capture')} analysed",
        f"{counted(whole['items'], 'work item')}",
    ]
    if whole["requests"]:
        words.append(counted(whole["requests"], "request"))
    if told["first_utc"]:
        words.append(f"{told['first_utc'][:16].replace('T', ' ')} to {told['last_utc'][:16].replace('T', ' ')} UTC")
    return ", ".join(words)


def _place(row: dict[str, Any]) -> dict[str, object]:
    late: Any = row
    count, cost, place, name = late_cells(late, "")
    return row | {"count": count, "cost": cost, "place": place, "name": name}


def _group(group: dict[str, Any]) -> dict[str, object]:
    return {
        "key": KEY_WORDS.get(group["key"], group["key"]),
        "id": "by-" + "".join(c if c.isalnum() else "-" for c in group["key"]),
        "left_out": group["left_out"],
        "rows": [
            {
                "value": row["value"],
                "captures": row["captures"],
                "items": row["items"],
                "wait": [
                    duration(row["wait_ms"][name], name in row["wait_ms"]["at_least"])
                    for name in ("mean", "p50", "p99")
                ],
                "total": said(1e3 * sum(row["wait_s"].values())) if sum(row["wait_s"].values()) > 0 else "0",
                "causes": _shares(row["wait_share"]),
                "latency": duration(row["latency_ms"]["p99"], "p99" in row["latency_ms"]["at_least"]),
            }
            for row in group["values"]
        ],
    }


def _shares(shares: dict[str, float]) -> list[tuple[str, str, str]]:
    """Returns cause, shape and words of each share that is large enough to show."""
    return [
        (cause, SHAPES[cause], f"{CAUSE_WORDS[cause]} {percent(shares[cause])}")
        for cause in sorted(CAUSES, key=lambda cause: -shares[cause])
        if shares[cause] >= 0.05
    ]


def _route(route: dict[str, Any]) -> dict[str, object]:
    from poolscope.product.requests import PART_WORDS

    parts = route["parts_ms"] or {}
    most = max(parts, key=lambda name: parts[name], default=None)
    low = route["latency_ms"]["at_least"]
    return {
        "service": route["service"],
        "route": route["route"],
        "captures": route["captures"],
        "requests": route["requests"],
        "latency": [duration(route["latency_ms"][name], name in low) for name in ("mean", "p50", "p99")],
        "total": said(1e3 * route["seconds"]) if route["seconds"] > 0 else "0",
        "mostly": "" if most is None or parts[most] <= 0 else f"{PART_WORDS[most]}, {duration(parts[most])} on average",
    }


def _code(row: dict[str, Any]) -> dict[str, object]:
    place = f"{Path(row['file'].replace(chr(92), '/')).name}:{row['line']}" if row["file"] and row["line"] else ""
    return row | {"place": place, "took": said(1e3 * row["thread_s"]) if row["thread_s"] > 0 else "0"}


def _tree(tree: dict[str, Any] | None) -> list[dict[str, object]]:
    """Returns the lines of the tree, callers before their callees, largest first. A chain of single calls is one line
    each."""
    if tree is None or not tree["total_s"][0]:
        return []
    below: dict[int, list[int]] = {}
    for at, above in enumerate(tree["parent"]):
        below.setdefault(above, []).append(at)
    whole = tree["total_s"][0]
    lines: list[dict[str, object]] = []
    stack = [(0, 0)]
    while stack:
        at, depth = stack.pop()
        share = tree["total_s"][at] / whole
        if share < TREE_SHARE or depth > DEPTH:
            continue
        lines.append(
            {
                "depth": depth,
                "name": tree["frame"][at],
                "total": said(1e3 * tree["total_s"][at]),
                "share": percent(share),
                "captures": tree["captures"][at],
            }
        )
        for _, child in sorted((float(tree["total_s"][one]), one) for one in below.get(at, [])):
            stack.append((child, depth + 1))
    return lines


ROW_HEIGHT = 30
DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot")
SERVICES = 6
"""The number of lines in the chart of versions: one per dash style."""
LABEL = 34
"""The characters of a row's name beside its bar. The table has the full name."""


def figures(content: dict[str, Any]) -> dict[str, dict[str, object]]:
    """Returns every chart that has data, by the id of its place in the page."""
    made = {"ranking": _ranking(content), "hours": _hours(content), "versions": _versions(content)}
    return {name: figure for name, figure in made.items() if figure is not None}


def _ranking(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns the excess wait of each row's group, on one axis."""
    rows = content["ranking"]
    if not rows:
        return None
    names = [plotly_text(f"{at}. {_short(row['key'] + ' ' + row['value'])}") for at, row in enumerate(rows, 1)]
    layout = plain_layout(90 + ROW_HEIGHT * len(rows)) | {"dragmode": False, "showlegend": False, "bargap": 0.35}
    layout["xaxis"] = count_axis("seconds beyond the others") | {"nticks": 5}
    layout["yaxis"] = axis("") | {
        "type": "category",
        "categoryarray": names[::-1],
        "automargin": True,
        "fixedrange": True,
    }
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [row["seconds"] for row in rows],
        "y": names,
        "text": [plotly_text(f"{said(1e3 * row['seconds'])} of {row['words']}") for row in rows],
        "textposition": "none",
        "hovertemplate": "%{y}<br>%{text}<extra></extra>",
        "marker": {"color": variable("cause"), "line": {"width": 1, "color": variable("card")}},
    }
    return {"data": [bars], "layout": layout}


def _short(name: str) -> str:
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"


def _hours(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns the mean wait of each hour, stacked by cause. None if all captures are from one hour."""
    hours = [row for group in content["groups"] if group["key"] == "hour" for row in group["values"] if row["items"]]
    if len(hours) < 2:
        return None
    layout = plain_layout(320) | {"barmode": "stack", "bargap": 0.2, "dragmode": False}
    layout["xaxis"] = axis("hour, UTC") | {"type": "category", "fixedrange": True, "nticks": 8, "automargin": True}
    layout["yaxis"] = count_axis("mean wait, milliseconds")
    data = []
    for cause in CAUSES:
        ms = [1e3 * row["wait_s"][cause] / row["items"] for row in hours]
        if not any(ms):
            continue
        data.append(
            {
                "type": "bar",
                "name": f"{SHAPES[cause]} {CAUSE_WORDS[cause]}",
                "x": [row["value"] for row in hours],
                "y": [round(value, 6) for value in ms],
                "text": [duration(value) for value in ms],
                "textposition": "none",
                "hovertemplate": f"%{{x}}, {CAUSE_WORDS[cause]}<br>%{{text}} per item<extra></extra>",
                "marker": bar_marker(cause),
            }
        )
    return {"data": data, "layout": layout} if data else None


def _versions(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns the 99th percentile of the wait, version by version, with a line for each service."""
    lines = [(one["service"], [v for v in one["versions"] if v["items"]]) for one in content["trends"]]
    lines = [(name, versions) for name, versions in lines if len(versions) > 1][:SERVICES]
    if not lines:
        return None
    values = [max(v["wait_ms"]["p99"], FLOOR_MS) for _, versions in lines for v in versions]
    span = [math.log10(min(values)) - 0.3, math.log10(max(values)) + 0.3]
    layout = plain_layout(340) | {"dragmode": False}
    layout["xaxis"] = axis("version, in the order of its first capture") | {
        "fixedrange": True,
        "dtick": 1,
        "tickprefix": "",
        "range": [0.6, max(len(versions) for _, versions in lines) + 0.4],
    }
    layout["yaxis"] = axis("p99 wait") | {
        "type": "log",
        "range": span,
        "tickvals": [ms for ms in TICKS_MS if span[0] <= math.log10(ms) <= span[1]],
        "ticktext": [words for ms, words in TICKS_MS.items() if span[0] <= math.log10(ms) <= span[1]],
        "fixedrange": True,
    }
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": plotly_text(_short(name)),
            "x": list(range(1, len(versions) + 1)),
            "y": [max(v["wait_ms"]["p99"], FLOOR_MS) for v in versions],
            "text": [plotly_text(f"{name} {v['version_name']}: {duration(v['wait_ms']['p99'])}") for v in versions],
            "hovertemplate": "%{text}<extra></extra>",
            "line": {"color": variable("busy" if at % 2 else "goal"), "dash": DASHES[at], "width": 1.8},
            "marker": {"color": variable("busy" if at % 2 else "goal"), "size": 8},
        }
        for at, (name, versions) in enumerate(lines)
    ]
    return {"data": data, "layout": layout}
