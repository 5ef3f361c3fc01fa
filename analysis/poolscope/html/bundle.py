"""Finding the plotly.js that a page carries."""

from __future__ import annotations

from functools import cache
from pathlib import Path

NAME = "plotly-basic.min.js"
"""The basic bundle (1 MB: scatter, bar and pie, all that the report draws)."""

PACKAGED = Path(__file__).parent / "plotly" / NAME
"""Where an installed package carries it."""

FETCHED = Path(__file__).resolve().parents[3] / ".cache" / "plotly" / NAME
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
