"""`poolscope attribute`: prints the answer as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import poolscope
from poolscope.cli.options import (
    PartOptions,
    capture_argument,
    end_with_verdict,
    json_option,
    keep_out_of_evidence,
    late_option,
    output_option,
    own_option,
    part_options,
    redact_option,
    write_text,
)

if TYPE_CHECKING:
    from rich.console import Console

    from poolscope.contract.analysis_json import AnalysisJson

SHOWN = 10
"""The number of costliest incidents, and of operations of activities, in a table."""
EXAMPLES = """\b
Examples:
  poolscope attribute traces/demo                        the verdict, the split of the wait, the findings
  poolscope attribute traces/demo --json | jq .verdict   for scripts
  poolscope attribute demo.zip --redact -o shared.json   an analysis.json without names, to share
  poolscope attribute slow --from 190s --until 220s      half a minute of a recording
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@json_option("Print analysis.json (docs/analysis-json.md) instead of text.")
@output_option("Write analysis.json to this file.")
@late_option
@part_options
@own_option
@redact_option
def attribute(
    capture: Path,
    as_json: bool,
    output: Path | None,
    late: float,
    part: PartOptions,
    own: list[str] | None,
    redacted: bool,
) -> None:
    """Splits the wait of every work item by cause and prints the verdict.

    CAPTURE is a capture folder or a zip of one, and is only read. The parts of every item's wait are in the table
    item_parts of `poolscope export --to csv`.
    """
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = poolscope.open(capture, late_ms=late, own=own, **part)
    content = opened.analysis(redact=redacted)
    from poolscope.product import dumps

    if output is not None:
        write_text(output, dumps(content))
    if as_json:
        click.echo(dumps(content), nl=False)
    else:
        _print(content)
    end_with_verdict(content["verdict"])


def _print(content: AnalysisJson) -> None:
    from rich.table import Table

    from poolscope.base.words import duration, percent
    from poolscope.cli.terminal import console as terminal
    from poolscope.product.causes import CAUSE_WORDS
    from poolscope.report.sections.verdict import part_lines

    console = terminal()
    verdict = content["verdict"]
    console.print(f"[bold]{_text(verdict['text'])}[/bold]")
    console.print(f"verdict: {verdict['id']} (confidence: {verdict['confidence']})\n")
    for line in part_lines(content.get("part")):
        console.print(_text(line))
    split = content["attribution"]
    if split:
        table = Table(box=None, pad_edge=False)
        of = split["judged"]
        for heading in ("part of the wait", f"mean per {'late ' if of['late_only'] else ''}item", "share"):
            table.add_column(heading, justify="left" if heading.startswith("part") else "right")
        for name, ms in of["wait_ms"].items():
            table.add_row(CAUSE_WORDS[name], duration(ms), percent(of["wait_share"][name]))
        console.print(table)
        console.print(
            f"\nMean delay {duration(split['delay_ms'])}, from enqueue to end beyond what an item itself needs."
        )
    _print_requests(console, content)
    _print_activities(console, content)
    _print_incidents(console, content)
    _print_fixes(console, content)
    for finding in content["findings"]:
        console.print(f"\n[bold]{_text(finding['title'])}[/bold] - {_text(finding['number'])}")
        for line in finding["evidence"]:
            console.print(f"  {_text(line)}")
        for line in finding["advice"]:
            console.print(f"  Fix: {_text(line)}")


def _print_requests(console: Console, content: AnalysisJson) -> None:
    """Prints the latency of requests and its parts."""
    from rich.table import Table

    from poolscope.report.sections.requests import application_words, coverage_words, request_parts

    requests = content["requests"]
    if requests is None:
        return
    console.print(f"\n[bold]Requests[/bold] - {_text(coverage_words(requests))}")
    if application := application_words(requests):
        console.print(_text(application))
    if requests["parts_ms"]:
        table = Table(box=None, pad_edge=False)
        for heading in ("part of the latency", "mean per request", "share"):
            table.add_column(heading, justify="left" if heading.startswith("part") else "right")
        for row in request_parts(requests["parts_ms"]):
            table.add_row(*row)
        console.print(table)


def _print_activities(console: Console, content: AnalysisJson) -> None:
    """Prints the duration of activities, by operation."""
    from rich.table import Table

    from poolscope.report.sections.activities import QUANTILES, activities_words, activity_row

    activities = content["activities"]
    if activities is None:
        return
    console.print(f"\n[bold]Activities[/bold] - {_text(activities_words(activities))}")
    table = Table(box=None, pad_edge=False)
    for heading in ("source", "operation"):
        table.add_column(heading)
    for heading in ("count", "still open", *QUANTILES):
        table.add_column(heading, justify="right")
    table.add_column("mostly")
    for kind in activities["kinds"][:SHOWN]:
        row = activity_row(kind)
        figures = (row["count"], row["open"], *row["duration"], row["mostly"])
        table.add_row(_text(kind["source"]), _text(kind["operation"]), *figures)
    console.print(table)


def _print_fixes(console: Console, content: AnalysisJson) -> None:
    """Prints the list of fixes, and the fixes that Poolscope does not recommend."""
    from poolscope.report.sections.findings import fixes, mean_of, rejected

    if rows := fixes(content):
        console.print(f"\nOne fix alone, predicted {mean_of(content)}:")
    for row in rows:
        console.print(f"  {_text(row['title'])} ({row['status']}): {row['after']}")
    if against := rejected(content):
        console.print("\nNot recommended:")
    for other in against:
        figures = f" ({other['figures']})" if other["figures"] else ""
        console.print(f"  {_text(other['title'])}: {_text(other['reason'])}{figures}")


def _print_incidents(console: Console, content: AnalysisJson) -> None:
    """Prints the incidents that matter as a table, and sentences about the others."""
    from rich.table import Table

    from poolscope.base.words import moment
    from poolscope.report.sections.incidents import (
        cause_words,
        costliest,
        latency_words,
        longest,
        minor_sentences,
        outside_words,
        request_words,
        summary,
        waited,
    )

    mattering = [i for i in content["incidents"] if i["matters"]]
    console.print(f"\n[bold]Incidents[/bold] - {_text(summary(content))}")
    if mattering:
        table = Table(box=None, pad_edge=False)
        for heading in ("from", "to", "late", "longest wait", "item-seconds"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("cause (confidence)")
        for i in costliest(mattering, SHOWN):
            late = f"{i['late']:,} of {i['items']:,}"
            times = moment(i["start_s"]), moment(i["end_s"])
            table.add_row(
                *times, late, longest(i), waited(i), _text(cause_words(i)), style="bold" if i["costliest"] else ""
            )
        console.print(table)
    for i in costliest([i for i in mattering if i["requests"]], SHOWN):
        assert i["requests"] is not None
        latency = latency_words(i["requests"]["latency_ms"])
        took = f"; those that arrived took: {latency}" if latency else ""
        console.print(f"  Requests from {moment(i['start_s'])}: {request_words(i)}{took}")
    if mattering and (others := outside_words(content)):
        console.print(f"  Requests outside of incidents: {others}")
    if len(mattering) > SHOWN:
        console.print(f"  The {SHOWN} costliest of {len(mattering):,}; --json has all.")
    for line in minor_sentences([i for i in content["incidents"] if not i["matters"]]):
        console.print(f"  {_text(line)}")


def _text(text: str) -> str:
    """Returns the text without the terminal's markup and without characters that move its cursor."""
    from rich.markup import escape

    from poolscope.html.escape import visible

    return escape(visible(text))
