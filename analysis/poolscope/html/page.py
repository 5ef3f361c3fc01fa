"""What every HTML page has in common: its templates and scripts, plotly.js, the policy that blocks everything else, and the
note on what was redacted."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from poolscope.html.escape import finalize
from poolscope.html.formatting import counted

BUNDLE = "plotly-basic.min.js"
"""The basic bundle (1 MB: scatter, bar and pie, all that the report draws)."""

PACKAGED = Path(__file__).parent / "plotly" / BUNDLE
"""Where an installed package carries it."""

FETCHED = Path(__file__).resolve().parents[3] / ".cache" / "plotly" / BUNDLE
"""Where the build puts it in the source tree."""


@cache
def plotly_js() -> str:
    """Returns the small bundle, else the complete one (3.5 MB and more) inside Python's plotly package."""
    small = next((file for file in (PACKAGED, FETCHED) if file.is_file()), None)
    if small:
        source = small.read_text("utf-8")
    else:
        from plotly.offline import get_plotlyjs  # costs a second of imports, so only where it is needed

        source = str(get_plotlyjs())
    return inline(source)


def inline(source: str) -> str:
    """Returns the script so that it cannot end its own <script>: in a string or a regular expression `<\\/` means `</`."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")  # as the HTML parser does, before it checks the hash
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


KINDS_OF_NAMES = {
    "capture": "name of the capture",
    "host": "host name",
    "user": "user name",
    "process": "process name",
    "thread": "thread name",
    "method": "method name",
    "type": "type name",
    "module": "module",
    "path": "path",
    "argument": "argument",
    "command": "command line",
    "word": "other word",
}
PLURALS = {"capture": "names of captures"}
STAYS = (
    "times in UTC, durations and counts; sizes of the machine and of its limits; process and thread ids and addresses of "
    "locks; the operating system and the .NET version; names of the runtime, of System.* and Microsoft.*, of system "
    "libraries and of the kernel's own threads"
)


def redacted_section(replaced: Mapping[str, int] | None) -> dict[str, str] | None:
    """Returns what to say of `redacted`, how many names of each kind were replaced. None: the report is not redacted."""
    if replaced is None:
        return None
    kinds = [counted(replaced[k], words, PLURALS.get(k)) for k, words in KINDS_OF_NAMES.items() if replaced.get(k)]
    return {"replaced": ", ".join(kinds) or "nothing: it held no name", "stays": STAYS}


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
