"""`poolscope check`: a gate for continuous integration."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from poolscope.capture import open_capture
from poolscope.check import FAILED, PASSED, UNKNOWN, Outcome, evaluate, junit_xml, parse
from poolscope.cli.options import capture_argument, keep_beside_capture, output_option, redact_option, write_text
from poolscope.errors import ExitCode
from poolscope.product import analyse
from poolscope.redact import redact

WORDS = {PASSED: "[green]pass[/green]", FAILED: "[red]FAIL[/red]", UNKNOWN: "[yellow]????[/yellow]"}


@click.command(
    epilog="""\b
Examples:
  poolscope check traces/demo --fail-on high
  poolscope check traces/demo --fail-on 'injection.p99>100ms' --fail-on 'wait.max>2s'
  poolscope check traces/demo --fail-on finding:lock-convoy -o check.xml

\b
Conditions (docs/check.md has the grammar):
  high | medium | low       a cause of this severity or above
  finding:ID, verdict:ID    this finding, this verdict
  KEY>VALUE                 a number of analysis.json; > >= < <= == !=; units ns us ms s min %
  short keys                wait, completion, injection, blocking, core, runtime (.mean .p50 .p90 .p99 .max),
                            share, removable, execution

Exit codes: 0 no condition holds, 1 one does, 2 usage, 3 unreadable input, 4 none holds, but of one the capture cannot tell, 5 internal error.
"""
)
@capture_argument
@click.option("--fail-on", "conditions", multiple=True, metavar="CONDITION", help="May repeat. Default: high.")
@click.option("--json", "as_json", is_flag=True, help="Print what came of each condition as JSON.")
@output_option("Write a JUnit XML file, which CI systems read.")
@redact_option
@click.pass_context
def check(
    context: click.Context,
    capture: Path,
    conditions: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    redacted: bool,
) -> None:
    """Fails when a capture is not as it should be.

    CAPTURE is a capture folder or a zip of one. A number that is only a lower bound, or not known, never passes for
    a fulfilled promise: then the check says that it cannot tell.
    """
    wanted = [parse(text) for text in conditions or ("high",)]
    analysis = analyse(open_capture(capture))
    content = redact(analysis.to_json()) if redacted else analysis.to_json()
    outcomes = [evaluate(condition, content) for condition in wanted]
    code = exit_code(outcomes)
    keep_beside_capture(analysis)
    if output is not None:
        write_text(output, junit_xml(str(content["capture"]["name"]), outcomes, content["verdict"]["text"]))
    if as_json:
        verdict = {key: content["verdict"][key] for key in ("id", "text", "confidence")}
        said = {"exit_code": int(code), "verdict": verdict, "conditions": [o.to_json() for o in outcomes]}
        click.echo(json.dumps(said, indent=1, allow_nan=False))
    else:
        _print(outcomes, content["verdict"]["text"])
    context.exit(int(code))


def exit_code(outcomes: list[Outcome]) -> ExitCode:
    """A condition that holds outweighs one that nobody can judge."""
    found = {outcome.status for outcome in outcomes}
    return ExitCode.FOUND if FAILED in found else ExitCode.INSUFFICIENT if UNKNOWN in found else ExitCode.OK


def _print(outcomes: list[Outcome], verdict: str) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for outcome in outcomes:
        console.print(f"{WORDS[outcome.status]}  {escape(outcome.condition.text)}  {escape(outcome.said)}")
    console.print(escape(verdict))
