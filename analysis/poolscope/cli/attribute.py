"""`poolscope attribute`: the answer as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from poolscope.capture import open_capture
from poolscope.cli.options import capture_argument, keep_beside_capture, output_option, redact_option, write_text
from poolscope.words import duration, percent
from poolscope.product import analyse, dumps
from poolscope.product.causes import CAUSE_WORDS
from poolscope.redact import redact
from poolscope.report.escape import visible


@click.command(epilog="Example: poolscope attribute traces/demo --json")
@capture_argument
@click.option("--json", "as_json", is_flag=True, help="Print analysis.json instead of text.")
@output_option("Write analysis.json to this file.")
@redact_option
def attribute(capture: Path, as_json: bool, output: Path | None, redacted: bool) -> None:
    """Splits the wait of every work item by cause and prints the verdict.

    CAPTURE is a capture folder or a zip of one.
    """
    analysis = analyse(open_capture(capture))
    keep_beside_capture(analysis)
    content = redact(analysis.to_json()) if redacted else analysis.to_json()
    if output is not None:
        write_text(output, dumps(content))
    if as_json:
        click.echo(dumps(content), nl=False)
    else:
        _print(content)


def _print(content: dict[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    verdict = content["verdict"]
    console.print(f"[bold]{_text(verdict['text'])}[/bold]")
    console.print(f"verdict: {verdict['id']} (confidence: {verdict['confidence']})\n")
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
    for finding in content["findings"]:
        console.print(f"\n[bold]{_text(finding['title'])}[/bold] - {_text(finding['number'])}")
        for line in finding["evidence"]:
            console.print(f"  {_text(line)}")
        for line in finding["advice"]:
            console.print(f"  Fix: {_text(line)}")


def _text(text: str) -> str:
    """Neither markup of the terminal's nor a character that moves its cursor."""
    return escape(visible(text))
