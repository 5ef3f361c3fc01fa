"""`poolscope attribute`: the answer as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import poolscope
from poolscope.cli.options import (
    capture_argument,
    json_option,
    keep_out_of_evidence,
    output_option,
    redact_option,
    write_text,
)

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

    CAPTURE is a capture folder or a zip of one, and is only read. The parts of every item's wait are in the table
    item_parts of `poolscope export --to csv`.
    """
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = poolscope.open(capture)
    content = opened.analysis(redact=redacted)
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
    from rich.markup import escape

    from poolscope.report.escape import visible

    return escape(visible(text))
