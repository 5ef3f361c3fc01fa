"""`poolscope check`: a gate for continuous integration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

import poolscope
from poolscope.base.errors import ExitCode
from poolscope.cli.completion import one_of
from poolscope.cli.options import (
    capture_argument,
    json_option,
    late_option,
    keep_out_of_evidence,
    output_option,
    redact_option,
    write_text,
)
from poolscope.cli.terminal import console as terminal
from poolscope.cli.terminal import even_if_nobody_reads

if TYPE_CHECKING:
    from poolscope import Outcome

WORDS = {"passed": "[green]pass[/green]", "failed": "[red]FAIL[/red]", "unknown": "[yellow]????[/yellow]"}


@click.command(
    epilog="""\b
Examples:
  poolscope check traces/demo --fail-on high
  poolscope check traces/demo --fail-on 'injection.p99>100ms' --fail-on 'wait.max>2s'
  poolscope check traces/demo --fail-on 'incidents>0' --late 200ms
  poolscope check traces/demo --fail-on finding:lock-convoy -o check.xml

\b
Conditions (docs/check.md has the grammar):
  high | medium | low       a cause of this severity or above
  finding:ID, verdict:ID    this finding, this verdict
  KEY>VALUE                 a number of analysis.json; > >= < <= == !=; with a unit: 100ms, 1m30s, 20%
  incidents>0               incidents that matter; incident.longest, .late, .item_seconds, .length: the largest of one
  short keys                wait, completion, request, injection, blocking, core, runtime (.mean .p50 .p90 .p99;
                            alone or .max: the largest), share, removable, execution, goal
  A or B                    one that holds is enough

Exit codes: 0 no condition holds, 1 one does, 2 usage, 3 unreadable input, 4 none holds, but not enough evidence for at least one, 5 internal error.
"""
)
@capture_argument
@click.option(
    "--fail-on",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    shell_complete=one_of("high", "medium", "low"),
    help="A condition that must not hold. Repeatable. Default: high.",
)
@json_option("Print the outcome of each condition as JSON instead of text.")
@output_option("Write JUnit XML, which CI systems read, to this file.")
@late_option
@redact_option
@click.pass_context
def check(
    context: click.Context,
    capture: Path,
    conditions: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    late: float,
    redacted: bool,
) -> None:
    """Exits with 1 if a capture meets a condition that you name.

    CAPTURE is a capture folder or a zip of one, and is only read. A lower bound or an unknown number never counts as passed: the check then says that it cannot tell.
    """
    from poolscope.check import junit_xml, parse_any

    for condition in conditions:
        parse_any(condition)  # reports a malformed condition before the analysis takes its time
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = poolscope.open(capture, late_ms=late)
    outcomes = opened.check(*conditions, redact=redacted)
    content = opened.analysis(redact=redacted)
    code = exit_code(outcomes)
    if output is not None:
        write_text(output, junit_xml(str(content["capture"]["name"]), outcomes, content["verdict"]["text"]))
    with even_if_nobody_reads():
        if as_json:
            found = content["verdict"]
            verdict = {"id": found["id"], "text": found["text"], "confidence": found["confidence"]}
            said = {"exit_code": int(code), "verdict": verdict, "conditions": [o.to_json() for o in outcomes]}
            click.echo(json.dumps(said, indent=1, allow_nan=False))
        else:
            _print(outcomes, content["verdict"]["text"])
    context.exit(int(code))


def exit_code(outcomes: list[Outcome]) -> ExitCode:
    """Returns the exit code. A condition that holds outweighs one that the capture cannot decide."""
    found = {outcome.status for outcome in outcomes}
    return ExitCode.FOUND if "failed" in found else ExitCode.INSUFFICIENT if "unknown" in found else ExitCode.OK


def _print(outcomes: list[Outcome], verdict: str) -> None:
    from rich.markup import escape

    console = terminal()
    for outcome in outcomes:
        console.print(f"{WORDS[outcome.status]}  {escape(outcome.condition.text)}  {escape(outcome.said)}")
    console.print(escape(verdict))
