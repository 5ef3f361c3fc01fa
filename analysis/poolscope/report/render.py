"""Putting the page together: templates, style, script, chart data, and the policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from poolscope.report.bundle import inline, plotly_js
from poolscope.report.charts import figures
from poolscope.report.escape import finalize, script_json
from poolscope.report.markdown import to_markdown
from poolscope.report.sections.advice import advice_section
from poolscope.report.sections.antagonists import antagonists_section
from poolscope.report.sections.blame import blame_section
from poolscope.report.sections.captured import captured_section
from poolscope.report.sections.cpu import cpu_section
from poolscope.report.sections.rules import rules_section
from poolscope.report.sections.split import split_section
from poolscope.report.sections.timeline import timeline_section
from poolscope.report.sections.verdict import verdict_section
from poolscope.report.sections.whatif import whatif_section
from poolscope.report.sections.worst import worst_section

HERE = Path(__file__).parent


def render(analysis: dict[str, Any]) -> str:
    """The report of one analysis.json as one HTML page.

    A pure function: the same input gives the same bytes, apart from which plotly.js the machine has (bundle.py).
    """
    drawn = figures(analysis)
    scripts = [plotly_js(), inline((HERE / "assets" / "page.js").read_text("utf-8"))] if drawn else []
    return (
        _environment()
        .get_template("page.html")
        .render(
            name=str(analysis["capture"]["name"]),
            version=analysis["tool"]["version"],
            policy=content_security_policy(scripts),
            style=Markup((HERE / "assets" / "style.css").read_text("utf-8")),
            scripts=[Markup(script) for script in scripts],
            data={
                "analysis": script_json(analysis),
                "figures": script_json(drawn),
                "markdown": script_json(to_markdown(analysis)),
            },
            charts=sorted(drawn),
            verdict=verdict_section(analysis),
            advice=advice_section(analysis),
            whatif=whatif_section(analysis),
            captured=captured_section(analysis),
            split=split_section(analysis),
            timeline=timeline_section(analysis),
            blame=blame_section(analysis),
            antagonists=antagonists_section(analysis),
            cpu=cpu_section(analysis),
            worst=worst_section(analysis),
            rules=rules_section(analysis),
        )
    )


def content_security_policy(scripts: list[str]) -> str:
    """Nothing may be loaded from anywhere, and no script may run but these.

    plotly.js sets inline styles, and saves a chart as a picture by way of a data or blob image.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
