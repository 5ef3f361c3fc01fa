"""The comparison as one HTML page: a pure function of its JSON."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from poolscope.compare.charts import figures
from poolscope.compare.comparison_json import ComparisonJson, RunJson
from poolscope.compare.judge import CANNOT_TELL, FEWER, LONGER, MORE, SHORTER
from poolscope.compare.quantity import GROUPS
from poolscope.compare.texts import (
    LATE_COLUMNS,
    between_sides,
    changed,
    late_rows,
    named,
    range_of,
    value,
    within_sides,
)
from poolscope.html.escape import script_json
from poolscope.html.formatting import ABSENT, count, duration
from poolscope.html.page import ASSETS, chart_scripts, content_security_policy, environment, redacted_section

HERE = Path(__file__).parent
UP, DOWN = "\N{UPWARDS ARROW}", "\N{DOWNWARDS ARROW}"
MARKS = {LONGER: UP, SHORTER: DOWN, MORE: UP, FEWER: DOWN, CANNOT_TELL: "?"}
TONES = {LONGER: "cause", SHORTER: "healthy", MORE: "healthy", FEWER: "cause", CANNOT_TELL: "cannot-tell"}
"""The style of the headline, as for the report's verdicts."""


def render(content: ComparisonJson) -> str:
    """Returns the page of a comparison's JSON. The same input gives the same bytes."""
    drawn = figures(content)
    scripts = chart_scripts(ASSETS / "charts-page.js") if drawn else []
    verdict = overall(content)
    page: str = (
        environment(HERE / "templates")
        .get_template("compare.html")
        .render(
            version=content["tool"]["version"],
            policy=content_security_policy(scripts),
            style=Markup(
                "".join((ASSETS / name).read_text("utf-8") for name in ("style.css", "text.css"))
                + (HERE / "assets" / "compare.css").read_text("utf-8")
            ),
            scripts=[Markup(script) for script in scripts],
            data={"comparison": script_json(content), "figures": script_json(drawn)},
            charts=sorted(drawn),
            text=content["text"],
            verdict=verdict,
            tone=TONES.get(verdict, ""),
            mark=MARKS.get(verdict, "="),
            single=content["method"] != "runs",
            notes=content["notes"],
            late=late_rows(content),
            late_columns=LATE_COLUMNS,
            between=between_sides(content),
            within=within_sides(content),
            groups=[(words, rows) for group, words in GROUPS.items() if (rows := _rows(content, group))],
            requests=any(run["requests"] for side in (content["a"], content["b"]) for run in side),
            reasons=_reasons(content),
            sides=[("A", [_run(run) for run in content["a"]]), ("B", [_run(run) for run in content["b"]])],
            redacted=redacted_section(content.get("redacted")),
        )
    )
    return page


def overall(content: ComparisonJson) -> str:
    """Returns one word for the whole: for the wait, otherwise the completion, otherwise requests; for requests first if
    a place made them late."""
    items = ("wait", "completion")
    for group in ("requests", *items) if content["places"] else (*items, "requests"):
        found = {row["verdict"] for row in content["rows"] if row["group"] == group}
        if changed_either := found & {LONGER, SHORTER}:
            return changed_either.pop() if len(changed_either) == 1 else "changed"
    found = {row["verdict"] for row in content["rows"] if row["group"] in ("wait", "completion")}
    return CANNOT_TELL if found == {CANNOT_TELL} else "no change seen"


def _reasons(content: ComparisonJson) -> list[str]:
    """Returns each reason once, because many rows share one."""
    return list(dict.fromkeys(row["reason"] for row in content["rows"] if row["reason"]))


def _rows(content: ComparisonJson, group: str) -> list[dict[str, object]]:
    reasons = _reasons(content)
    return [
        {
            "words": named(row),
            "a": value(row, "a"),
            "b": value(row, "b"),
            "change": changed(row),
            "range": range_of(row),
            "verdict": row["verdict"],
            "mark": MARKS.get(row["verdict"], "="),
            "tone": TONES.get(row["verdict"], ""),
            "note": str(reasons.index(row["reason"]) + 1) if row["reason"] else "",
            "needed": row["captures_needed"],
        }
        for row in content["rows"]
        if row["group"] == group
    ]


def _run(run: RunJson) -> dict[str, object]:
    values, least = run["values_ms"], run["at_least"]
    shown = {
        key.replace(".", "_"): duration(values.get(key), key in least)
        for key in ("wait.mean", "wait.p50", "wait.p99", "completion.mean", "request.mean")
    }
    requests = run["requests"]
    return {
        "name": run["name"],
        "start": str(run["start_utc"])[:19].replace("T", " "),
        "count": count(run["items"]),
        "verdict": run["verdict"],
        "answered": ABSENT if requests is None else f"{requests['answered']:,} of {requests['count']:,}",
        **shown,
    }
