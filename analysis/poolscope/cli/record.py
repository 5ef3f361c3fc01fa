"""`poolscope record`: from a running process to the page, in one command."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import click

import poolscope
from poolscope.cli.durations import parse_length
from poolscope.cli.options import (
    keep_out_of_evidence,
    late_option,
    output_option,
    redact_option,
    redacted_name,
)
from poolscope.errors import ExitCode, InvalidArgument, PoolscopeError

COULD_NOT = 125
"""With a command: recording failed, as `env` and `timeout` say it, for the other codes are the command's."""
EXAMPLES = """\b
Examples:
  poolscope record -p 4711 --duration 30s              attach for half a minute; the process keeps running
  poolscope record -n app --duration 5m --open         by name; show the page in the browser
  poolscope record -- dotnet app.dll --urls ...        from its first instruction until it ends or Ctrl-C

Exit codes: 0 ok, 2 usage, 3 the process cannot be recorded, 4 evidence insufficient, 5 internal error. With -- COMMAND:
the command's own, or 125 where recording failed.
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "-p",
    "--process-id",
    type=click.IntRange(1),
    metavar="PID",
    help="Record this process. Default: -n or COMMAND says which.",
)
@click.option(
    "-n",
    "--name",
    metavar="NAME",
    help="Record the process of this name, as `ps` shows it. Default: -p or COMMAND says which.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option(
    "--duration",
    metavar="TIME",
    callback=lambda context, option, text: parse_length("--duration", text),
    help="How long: 30s, 5m, 300 (seconds) or 00:05:00. Default: until Ctrl-C or the end of the process.",
)
@output_option("The page to write. Default: reports/NAME.html where a folder `reports` exists, else NAME.html.")
@click.option(
    "--capture",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where to record to; new or empty. Default: traces/NAME-DATE-TIME where a folder `traces` exists, else NAME-DATE-TIME.poolscope.",
)
@click.option("--open", "opens", is_flag=True, help="Show the page in the browser.")
@click.option(
    "--collect",
    "options",
    metavar="OPTION",
    multiple=True,
    help="An option for poolscope-collect collect, such as --collect=--max-size=500MB. Repeatable.",
)
@late_option
@redact_option
def record(
    process_id: int | None,
    name: str | None,
    command: tuple[str, ...],
    duration: float | None,
    output: Path | None,
    capture: Path | None,
    opens: bool,
    options: tuple[str, ...],
    late: float,
    redacted: bool,
) -> None:
    """Records a process, judges it, and writes the page: one step from a slow service to the ticket.

    Says which process with one of -p, -n and -- COMMAND. The capture stays, for every other verb to read. What the command
    prints comes first; the verdict and the path of the page go to stdout too, progress to stderr.
    """
    from poolscope.recording import Target, capture_folder, find_collector
    from poolscope.recording import record as run

    if sum((process_id is not None, name is not None, bool(command))) != 1:
        raise InvalidArgument("say what to record: one of -p PID, -n NAME, or -- COMMAND")
    target = Target(process_id, name, command)
    folder = capture or capture_folder(target)
    if output is not None:
        keep_out_of_evidence(output, folder)
    try:
        recorded = run(find_collector(), target, folder, duration, options)
        page = _judge(recorded.folder, output, late, redacted)
    except PoolscopeError as problem:
        if not command or problem.exit_code == ExitCode.USAGE:
            raise
        click.echo(f"poolscope: {problem}", err=True)
        click.get_current_context().exit(COULD_NOT)
    if opens:
        webbrowser.open(page.resolve().as_uri())
    if recorded.exit_code:
        click.get_current_context().exit(recorded.exit_code)


def _judge(folder: Path, output: Path | None, late: float, redacted: bool) -> Path:
    """Prints the verdict, and returns the page."""
    from poolscope.cli.report import default_page, say
    from poolscope.report.escape import visible

    _progress("Attributing and simulating ...")
    opened = poolscope.open(folder, late_ms=late)
    content = opened.analysis(redact=redacted)
    page = output or default_page(
        folder, redacted_name(content["capture"]["start_utc"]) if redacted else folder.name.removesuffix(".poolscope")
    )
    _progress("Writing the page ...")
    opened.report(page, redact=redacted)
    say(content["verdict"], page)
    click.echo(f"capture: {visible(str(folder))}")
    return page


def _progress(said: str) -> None:
    print(said, file=sys.stderr, flush=True)
