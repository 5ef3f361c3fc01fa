"""`poolscope report`: one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from poolscope.capture import open_capture
from poolscope.cli.options import (
    capture_argument,
    keep_beside_capture,
    output_option,
    redact_option,
    redacted_name,
    write_text,
)
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.escape import visible


@click.command(epilog="Example: poolscope report traces/demo -o demo.html")
@capture_argument
@output_option("The page to write. Default: reports/NAME.html where a folder `reports` exists, else NAME.html.")
@redact_option
def report(capture: Path, output: Path | None, redacted: bool) -> None:
    """Writes one self-contained HTML file that says why items started late.

    CAPTURE is a capture folder or a zip of one. The page needs no network and can be attached to a ticket as it is.
    The verdict and the path of the page go to stdout.
    """
    opened = open_capture(capture)
    analysis = analyse(opened)
    content = redact(analysis.to_json()) if redacted else analysis.to_json()
    page = output or _default(
        redacted_name(content["capture"]["start_utc"]) if redacted else capture.resolve().name.removesuffix(".zip")
    )
    write_text(page, render(content))
    keep_beside_capture(analysis)
    click.echo(visible(content["verdict"]["text"]))
    click.echo(f"verdict: {analysis.verdict.id} (confidence: {analysis.verdict.confidence})")
    click.echo(f"report: {visible(str(page))}")


def _default(stem: str) -> Path:
    name = stem + ".html"
    return Path("reports") / name if Path("reports").is_dir() else Path(name)
