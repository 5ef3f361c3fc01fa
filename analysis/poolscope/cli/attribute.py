"""`poolscope attribute`: the answer as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import poolscope
from poolscope.cli.options import (
    capture_argument,
    json_option,
    keep_beside_capture,
    output_option,
    redact_option,
    write_text,
)

if TYPE_CHECKING:
    from rich.console import Console

EXAMPLES = """\b
Examples:
  poolscope attribute traces/demo                        the verdict, the split of the wait, the findings
  poolscope attribute traces/demo --json | jq .verdict   for scripts
  poolscope attribute demo.zip --redact -o shared.json   an analysis.json that may leave the house
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@json_option("Print analysis.json (docs/analysis-json.md) instead of text.")
@output_option("Write analysis.json to this file.")
@redact_option
def attribute(capture: Path, as_json: bool, output: Path | None, redacted: bool) -> None:
    """Splits the wait of every work item by cause and prints the verdict.

    CAPTURE is a capture folder or a zip of one. A folder that may be written also gets its analysis.json and the table
    item_parts.
    """
    opened = poolscope.open(capture)
    content = opened.analysis(redact=redacted)
    keep_beside_capture(opened.analysed)
    from poolscope.product import dumps

    if output is not None:
        write_text(output, dumps(content))
    if as_json:
        click.echo(dumps(content), nl=False)
    else:
        _print(content)


def _print(content: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from poolscope.product.causes import CAUSE_WORDS
    from poolscope.words import duration, percent

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
        console.print(
            f"\nMean delay {duration(split['delay_ms'])}, from enqueue to end beyond what an item itself needs."
        )
    _print_fixes(console, content)
    for finding in content["findings"]:
        console.print(f"\n[bold]{_text(finding['title'])}[/bold] - {_text(finding['number'])}")
        for line in finding["evidence"]:
            console.print(f"  {_text(line)}")
        for line in finding["advice"]:
            console.print(f"  Fix: {_text(line)}")


def _print_fixes(console: Console, content: dict[str, Any]) -> None:
    """The list of fixes, and what is not recommended."""
    from poolscope.report.sections.advice import fixes, rejected

    if rows := fixes(content):
        console.print("\nOne fix alone, predicted mean delay:")
    for row in rows:
        console.print(f"  {_text(row['title'])} ({row['status']}): {row['after']}")
    if against := rejected(content):
        console.print("\nNot recommended:")
    for row in against:
        figures = f" ({row['figures']})" if row["figures"] else ""
        console.print(f"  {_text(row['title'])}: {_text(row['reason'])}{figures}")


def _text(text: str) -> str:
    """Neither markup of the terminal's nor a character that moves its cursor."""
    from rich.markup import escape

    from poolscope.report.escape import visible

    return escape(visible(text))
