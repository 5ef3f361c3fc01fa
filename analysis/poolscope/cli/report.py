"""`poolscope report`: one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from poolscope.capture import open_capture
from poolscope.cli.options import capture_argument, keep_beside_capture, output_option, write_text
from poolscope.product import analyse
from poolscope.report import render


@click.command(epilog="Example: poolscope report traces/demo -o demo.html")
@capture_argument
@output_option("The page to write. Default: reports/NAME.html where a folder `reports` exists, else NAME.html.")
def report(capture: Path, output: Path | None) -> None:
    """Writes one self-contained HTML file that says why items started late.

    CAPTURE is a capture folder or a zip of one. The page needs no network and can be attached to a ticket as it is.
    The verdict and the path of the page go to stdout.
    """
    opened = open_capture(capture)
    analysis = analyse(opened)
    page = output or _default(capture)
    write_text(page, render(analysis.to_json()))
    keep_beside_capture(analysis)
    click.echo(analysis.verdict.text)
    click.echo(f"verdict: {analysis.verdict.id} (confidence: {analysis.verdict.confidence})")
    click.echo(f"report: {page}")


def _default(capture: Path) -> Path:
    name = capture.resolve().name.removesuffix(".zip") + ".html"
    return Path("reports") / name if Path("reports").is_dir() else Path(name)
