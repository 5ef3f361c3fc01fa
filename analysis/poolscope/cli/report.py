"""`poolscope report`: one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import poolscope
from poolscope.cli.options import (
    capture_argument,
    default_output,
    keep_out_of_evidence,
    late_option,
    output_option,
    redact_option,
    redacted_name,
)

EXAMPLES = """\b
Examples:
  poolscope report traces/demo                      reports/demo.html, or demo.html
  poolscope report traces/demo -o ticket-4711.html  a page of this name
  poolscope report demo.zip --redact                without names, paths and arguments
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@output_option("The page to write. Default: reports/NAME.html where a folder `reports` exists, else NAME.html.")
@late_option
@redact_option
def report(capture: Path, output: Path | None, late: float, redacted: bool) -> None:
    """Writes one self-contained HTML file that says why items started late.

    CAPTURE is a capture folder or a zip of one. The page needs no network and can be attached to a ticket as it is.
    The verdict and the path of the page go to stdout. The capture is only read.
    """
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = poolscope.open(capture, late_ms=late)
    content = opened.analysis(redact=redacted)
    page = output or default_page(
        capture,
        redacted_name(content["capture"]["start_utc"]) if redacted else capture.resolve().name.removesuffix(".zip"),
    )
    opened.report(page, redact=redacted)
    say(content["verdict"], page)


def say(verdict: dict[str, Any], page: Path) -> None:
    """Prints the verdict and the path of its page."""
    from poolscope.report.escape import visible

    click.echo(visible(verdict["text"]))
    click.echo(f"verdict: {verdict['id']} (confidence: {verdict['confidence']})")
    click.echo(f"report: {visible(str(page))}")


def default_page(capture: Path, stem: str) -> Path:
    """Returns where a page named `stem` goes where nobody says it."""
    return default_output(capture, stem + ".html", Path("reports") if Path("reports").is_dir() else None)
