"""`poolscope attribute`: the answer as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from poolscope.capture import open_capture
from poolscope.cli.options import capture_argument, keep_beside_capture, output_option, write_text
from poolscope.words import duration, percent
from poolscope.product import Analysis, analyse
from poolscope.product.causes import CAUSE_WORDS


@click.command(epilog="Example: poolscope attribute traces/demo --json")
@capture_argument
@click.option("--json", "as_json", is_flag=True, help="Print analysis.json instead of text.")
@output_option("Write analysis.json to this file.")
def attribute(capture: Path, as_json: bool, output: Path | None) -> None:
    """Splits the wait of every work item by cause and prints the verdict.

    CAPTURE is a capture folder or a zip of one.
    """
    analysis = analyse(open_capture(capture))
    keep_beside_capture(analysis)
    if output is not None:
        write_text(output, analysis.dumps())
    if as_json:
        click.echo(analysis.dumps(), nl=False)
    else:
        _print(analysis)


def _print(analysis: Analysis) -> None:
    console = Console(highlight=False, soft_wrap=True)
    content: dict[str, Any] = analysis.to_json()
    console.print(f"[bold]{escape(analysis.verdict.text)}[/bold]")
    console.print(f"verdict: {analysis.verdict.id} (confidence: {analysis.verdict.confidence})\n")
    split = content["attribution"]
    if split:
        table = Table(box=None, pad_edge=False)
        for heading in ("part of the wait", "mean per item", "share"):
            table.add_column(heading, justify="left" if heading.startswith("part") else "right")
        for name, ms in split["wait_ms"].items():
            table.add_row(CAUSE_WORDS[name], duration(ms), percent(split["wait_share"][name]))
        console.print(table)
        alone = ", ".join(
            f"{fix} {duration(abs(ms))}{' more' if ms < 0 else ''}" for fix, ms in split["removable_ms"].items()
        )
        console.print(f"\nMean delay {duration(split['delay_ms'])}; one fix alone would remove: {alone}")
    for finding in analysis.findings:
        console.print(f"\n[bold]{escape(finding.title)}[/bold] - {escape(finding.number)}")
        for line in finding.evidence:
            console.print(f"  {escape(line)}")
        for line in finding.advice:
            console.print(f"  Fix: {escape(line)}")
