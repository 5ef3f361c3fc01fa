"""Putting the report together: its sections, chart data and embedded files."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.html.escape import script_json
from poolscope.html.page import chart_scripts, content_security_policy, environment, inline, redacted_section, styles
from poolscope.report.charts import figures
from poolscope.report.charts.whatif import whatif_still
from poolscope.report.markdown import to_markdown
from poolscope.report.sections.activities import activities_section
from poolscope.report.sections.blame import blame_section
from poolscope.report.sections.calls import calls_section
from poolscope.report.sections.captured import captured_section
from poolscope.report.sections.cores import antagonists_section, cpu_section
from poolscope.report.sections.findings import advice_section, rules_section
from poolscope.report.sections.flames import flames_section
from poolscope.report.sections.incidents import incidents_section
from poolscope.report.sections.profile import profile_section
from poolscope.report.sections.requests import requests_section
from poolscope.report.sections.split import split_section
from poolscope.report.sections.timeline import lanes_section, timeline_section
from poolscope.report.sections.verdict import verdict_section
from poolscope.report.sections.whatif import whatif_section
from poolscope.report.sections.without_items import counters_section
from poolscope.report.sections.worst import worst_section

HERE = Path(__file__).parent
ASSETS = HERE / "assets"
SCRIPTS = (
    "words.js",
    "inview.js",
    "zoom.js",
    "selection.js",
    "timeline.js",
    "cursor.js",
    "waits.js",
    "lanes-picture.js",
    "lanes.js",
    "flames-names.js",
    "flames-chains.js",
    "flames.js",
    "folds.js",
    "page.js",
)
"""In the order in which they need each other: the shared state, what shows it, and the page as a whole last."""

EARLY = "theme.js"
"""Runs before anything is shown: a page that turns dark after its first frame flashes."""


def render(analysis: AnalysisJson) -> str:
    """Returns the report of one analysis.json as one HTML page.

    A pure function: the same input gives the same bytes, apart from which plotly.js the machine has (html/page.py).
    """
    drawn = figures(analysis)
    scripts = chart_scripts(*(ASSETS / name for name in SCRIPTS)) if drawn else []
    early = [inline((ASSETS / EARLY).read_text("utf-8"))]
    return (
        environment(HERE / "templates")
        .get_template("page.html")
        .render(
            name=str(analysis["capture"]["name"]),
            version=analysis["tool"]["version"],
            policy=content_security_policy([*early, *scripts]),
            style=styles(ASSETS),
            early=[Markup(script) for script in early],
            scripts=[Markup(script) for script in scripts],
            data={
                "analysis": script_json(analysis),
                "figures": script_json(drawn),
                "markdown": script_json(to_markdown(analysis)),
            },
            # The lanes are drawn as well, but not from a figure.
            charts=sorted([*drawn, *(["lanes"] if analysis["lanes"] else [])]),
            redacted=redacted_section(analysis.get("redacted")),
            verdict=verdict_section(analysis),
            advice=advice_section(analysis),
            incidents=incidents_section(analysis),
            whatif=whatif_section(analysis),
            whatif_still=whatif_still(drawn.get("whatif")),
            captured=captured_section(analysis),
            requests=requests_section(analysis),
            calls=calls_section(analysis),
            activities=activities_section(analysis),
            split=split_section(analysis),
            timeline=timeline_section(analysis),
            lanes=lanes_section(analysis),
            blame=blame_section(analysis),
            antagonists=antagonists_section(analysis),
            counters=counters_section(analysis),
            profile=profile_section(analysis),
            cpu=cpu_section(analysis),
            flames=flames_section(analysis),
            worst=worst_section(analysis),
            rules=rules_section(analysis),
        )
    )
