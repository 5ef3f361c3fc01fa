"""The common parts of every HTML page: templates and scripts, plotly.js, the policy that blocks everything else, and
the note on redaction."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, __version__
from jinja2.bccache import Bucket
from markupsafe import Markup

from poolscope.base.errors import InvalidArgument
from poolscope.base.files import PRIVATE_FOLDER, cache_folder, written_whole
from poolscope.html import escape
from poolscope.html.escape import finalize
from poolscope.html.formatting import counted

BUNDLE = "plotly-basic.min.js"
"""The basic bundle (1 MB), with scatter, bar and pie: all that the report draws."""

PACKAGED = Path(__file__).parent / "plotly" / BUNDLE
"""The bundle's place in an installed package."""

FETCHED = Path(__file__).resolve().parents[3] / ".cache" / "plotly" / BUNDLE
"""The bundle's place in the source tree, written by the build."""


@cache
def plotly_js() -> str:
    """Returns the small bundle, or the complete one (at least 3.5 MB) from Python's plotly package."""
    small = next((file for file in (PACKAGED, FETCHED) if file.is_file()), None)
    if small:
        source = small.read_text("utf-8")
    else:
        from plotly.offline import get_plotlyjs  # costs a second of imports, so only if needed

        source = str(get_plotlyjs())
    return inline(source)


def inline(source: str) -> str:
    """Returns the script with `</script` and `<!--` escaped, so that it cannot end its own <script>. In a string or a
    regular expression `<\\/` means `</`."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")  # as the HTML parser does before it checks the hash
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
    """Returns the note on redaction. `redacted` has the number of names replaced, by kind, or is None if the report is
    not redacted."""
    if replaced is None:
        return None
    kinds = [counted(replaced[k], words, PLURALS.get(k)) for k, words in KINDS_OF_NAMES.items() if replaced.get(k)]
    return {"replaced": ", ".join(kinds) or "nothing: it held no name", "stays": STAYS}


HERE = Path(__file__).parent
ASSETS = HERE / "assets"


OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class CompiledTemplates(BytecodeCache):
    """Keeps compiled templates in the user's cache folder: compiling them takes half as long as a small report. An
    unreadable or unwritable folder counts as empty.

    Jinja checks an entry's template and version of Python. The folder's name covers the version of Jinja, this module, and
    `finalize`, which Jinja applies to constants while it compiles.
    """

    def __init__(self) -> None:
        rules = b"".join(path.read_bytes() for path in (Path(__file__), Path(escape.__file__)))
        self._version = hashlib.sha256(rules + __version__.encode()).hexdigest()[:16]

    def _file(self, bucket: Bucket) -> Path:
        return cache_folder() / "templates" / self._version / bucket.key

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError, RuntimeError), self._file(bucket).open("rb") as file:
            about = os.fstat(file.fileno())
            # The entry is code, and with sudo the folder may belong to another user.
            if sys.platform == "win32" or (about.st_uid == os.geteuid() and not about.st_mode & OTHERS_MAY_WRITE):
                bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError, RuntimeError, InvalidArgument):
            file = self._file(bucket)
            file.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            with written_whole(file) as temporary:
                temporary.write_bytes(bucket.bytecode_to_string())


@cache
def environment(*folders: Path) -> Environment:
    """Returns a template environment for these folders and for every page's templates; `layout.html` is the frame of a
    page."""
    return Environment(
        loader=FileSystemLoader([*folders, HERE / "templates"]),
        bytecode_cache=CompiledTemplates(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def chart_scripts(*own: Path) -> list[str]:
    """Returns the scripts of a page with charts, in order: plotly.js, the drawing of figures, and the page's own."""
    return [plotly_js(), *(inline(path.read_text("utf-8")) for path in (ASSETS / "charts.js", *own))]


DARK = re.compile(
    r"@media (?:screen and )?\(prefers-color-scheme: dark\) \{\s*:root:not\(\[data-theme=\"light\"\]\) \{(.*?)\}\s*\}",
    re.S,
)
"""The dark colours of a style sheet, which the system's setting selects."""


def styles(*folders: Path) -> Markup:
    """Returns every page's style sheets and those of these folders, sorted by name."""
    sheets = [path for folder in (ASSETS, *folders) for path in folder.glob("*.css")]
    return Markup("".join(_chosen(path.read_text("utf-8")) for path in sorted(sheets, key=lambda path: path.name)))


def _chosen(sheet: str) -> str:
    """Returns the sheet with its dark colours also for a reader who selected them (`data-theme`). They never apply in
    print."""
    return DARK.sub(lambda dark: f'{dark[0]}\n@media screen {{ :root[data-theme="dark"] {{{dark[1]}}} }}', sheet)


def content_security_policy(scripts: list[str]) -> str:
    """Returns a policy that loads nothing from anywhere and runs only these scripts.

    plotly.js sets inline styles, and saves a chart as a picture through a data or blob image.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
