"""The common part of every HTML page: its templates, its scripts, and the policy that blocks everything else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from poolscope.html.bundle import inline, plotly_js
from poolscope.html.escape import finalize

HERE = Path(__file__).parent
ASSETS = HERE / "assets"


@cache
def environment(*folders: Path) -> Environment:
    """Returns the templates of these folders, then those of every page: `layout.html` is the frame of a page."""
    return Environment(
        loader=FileSystemLoader([*folders, HERE / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def chart_scripts(*own: Path) -> list[str]:
    """Returns the scripts of a page with charts, in order: plotly.js, how figures are drawn, and the page's own."""
    return [plotly_js(), *(inline(path.read_text("utf-8")) for path in (ASSETS / "charts.js", *own))]


DARK = re.compile(
    r"@media (?:screen and )?\(prefers-color-scheme: dark\) \{\s*:root:not\(\[data-theme=\"light\"\]\) \{(.*?)\}\s*\}",
    re.S,
)
"""The dark colours of a style sheet, as the system's choice brings them."""


def styles(*folders: Path) -> Markup:
    """Returns every page's style sheets and those of these folders, in the order of their names."""
    sheets = [path for folder in (ASSETS, *folders) for path in folder.glob("*.css")]
    return Markup("".join(_chosen(path.read_text("utf-8")) for path in sorted(sheets, key=lambda path: path.name)))


def _chosen(sheet: str) -> str:
    """Returns the sheet, with its dark colours also for a reader who chose them (`data-theme`); on paper they never hold."""
    return DARK.sub(lambda dark: f'{dark[0]}\n@media screen {{ :root[data-theme="dark"] {{{dark[1]}}} }}', sheet)


def content_security_policy(scripts: list[str]) -> str:
    """Returns a policy under which nothing is loaded from anywhere, and only these scripts run.

    plotly.js sets inline styles, and saves a chart as a picture by way of a data or blob image.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
