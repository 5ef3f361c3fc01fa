"""`poolscope record`: from a running process to the page, in one command; its options are those of `collect`."""

from __future__ import annotations

import functools
import importlib
import shlex
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

import poolscope
from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError
from poolscope.cli.completion import one_of
from poolscope.cli.options import (
    end_with_verdict,
    json_option,
    keep_out_of_evidence,
    late_option,
    output_option,
    parse_length,
    redact_option,
    redacted_name,
)

if TYPE_CHECKING:
    from poolscope.contract.analysis_json import VerdictJson
    from poolscope.recording import Recorded


NAMED = {
    "--kernel": ("TIER", "Scheduler events: auto, tracepoint, switch, schedstat, etw or none. Default: auto."),
    "--scope": (
        "SCOPE",
        "Tier tracepoint: system (all processes) or target (this process's threads alone). Default: system.",
    ),
    "--poll-step": ("TIME", "Tier schedstat: time between two polls of the threads. Default: 10ms."),
    "--max-size": ("SIZE", "Size of streams and tables at which the recording ends, such as 500MB. Default: 2GB."),
    "--buffersize": ("SIZE", "Room for events inside the process, per session. Default: 256MB."),
    "--snapshots": ("TIME", "Mean time between two snapshots of all stacks; 0 takes none. Default: 1s."),
}
"""Options with one value: the placeholder of the value, and the help."""
REPEATED = {
    "--label": ("KEY=VALUE", "A label of the capture; `fleet` groups by it. Repeatable. Default: none."),
    "--activities": ("SOURCE", "Also record the activities of this ActivitySource. Repeatable. Default: none."),
}
FLAGS = {
    "--no-waits": "Do not record the stacks of waits.",
    "--no-look": "Do not read the process's memory for the limits of its pool and its queue.",
    "--no-sockets": "Do not record TCP sockets.",
    "--no-requests": "Do not record the requests of ASP.NET Core and the calls through HttpClient.",
}
OTHERWISE = {"--process-id", "--name", "--duration", "--output", "--no-decode"}
"""Options of `collect` that `record` has itself, calls --capture, or cannot use because nothing would be left to
judge."""
WORDS = {
    "--kernel": ("auto", "tracepoint", "switch", "schedstat", "etw", "none"),
    "--scope": ("system", "target"),
}
"""The words that Tab offers."""


def recorder_options(verb: Callable[..., object]) -> Callable[..., object]:
    """Adds these options. The verb receives the given ones as `recorder`, arguments for the collector."""

    @functools.wraps(verb)
    def with_words(*arguments: object, **values: object) -> object:
        words: list[str] = []
        for name in (*NAMED, *REPEATED, *FLAGS):
            value = values.pop(_key(name))
            if value is True:
                words.append(name)
            elif isinstance(value, str):
                words.append(f"{name}={value}")
            elif isinstance(value, tuple):
                words.extend(f"{name}={one}" for one in value)
        return verb(*arguments, recorder=tuple(words), **values)

    decorated: Callable[..., object] = with_words
    for name, text in reversed(FLAGS.items()):
        decorated = click.option(name, _key(name), is_flag=True, help=text)(decorated)
    for name, (metavar, text) in reversed(REPEATED.items()):
        decorated = click.option(name, _key(name), multiple=True, metavar=metavar, help=text)(decorated)
    for name, (metavar, text) in reversed(NAMED.items()):
        complete = one_of(*WORDS.get(name, ()))
        decorated = click.option(name, _key(name), metavar=metavar, help=text, shell_complete=complete)(decorated)
    return decorated


def _key(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


STDERR = 2
"""The file descriptor of stderr."""
OF_A_COMMAND = (ExitCode.USAGE, ExitCode.NOT_RUNNABLE, ExitCode.NOT_FOUND, ExitCode.INTERRUPTED)
"""The exit codes that remain with a command; any other failure is 125."""
EXAMPLES = """\b
Examples:
  poolscope record -p 4711 --duration 30s              attach for half a minute; the process keeps running
  poolscope record -n app --duration 5m --open         by name; show the page in the browser
  poolscope record -- dotnet app.dll --urls ...        from its first instruction until it ends or Ctrl-C
  poolscope record -n app --max-size 500MB --label version=1.2
  poolscope record -n app --duration 30s --json | jq -r .report

Exit codes: 0 ok, 2 usage, 3 the process cannot be recorded, 4 not enough evidence, 5 internal error. With -- COMMAND:
the command's own; 125 recording failed, 126 the command cannot be run, 127 there is no such command.
"""


class ProcessId(click.ParamType):
    """The id of a process; a name belongs to the other option."""

    name = "process id"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if not str(value).isdecimal() or int(str(value)) < 1:
            raise InvalidArgument(f"-p takes the id of a process, not {value}; by name: -n {value}")
        return int(str(value))


class Recording(click.Command):
    """A command whose last argument is another command with options of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            if "--" in given or given[0].startswith("-"):
                raise
            raise InvalidArgument(f"put -- before the command: poolscope record -- {shlex.join(given)}") from None


@click.command(cls=Recording, epilog=EXAMPLES)
@click.option(
    "-p",
    "--process-id",
    type=ProcessId(),
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
    help="How long to record, such as 30s, 5m, 1h30m or 300 (seconds). Default: until Ctrl-C or the end of the process.",
)
@output_option("The page to write. Default: reports/NAME.html if a folder `reports` exists, else NAME.html.")
@click.option(
    "--capture",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder of the capture; new or empty. Default: traces/NAME-DATE-TIME if a folder `traces` exists, else NAME-DATE-TIME.poolscope.",
)
@click.option("--open", "opens", is_flag=True, help="Show the page in the browser.")
@recorder_options
@click.option("--collect", "options", metavar="OPTION", multiple=True, hidden=True, help="As it was in 0.1.")
@json_option("Print the verdict and the written paths as JSON; the output of COMMAND then goes to stderr.")
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
    recorder: tuple[str, ...],
    options: tuple[str, ...],
    as_json: bool,
    late: float,
    redacted: bool,
) -> None:
    """Records a process, judges it, and writes the page: one step from a slow service to the ticket.

    Choose the process with one of -p, -n and -- COMMAND. The capture remains, for every other verb to read. The output of COMMAND comes first on stdout, then the verdict and the path of the page; progress goes to stderr.
    """
    from poolscope.recording import Target, capture_folder, find_collector, must_be_runnable
    from poolscope.recording import record as run

    if sum((process_id is not None, name is not None, bool(command))) != 1:
        raise InvalidArgument("say what to record: one of -p PID, -n NAME, or -- COMMAND")
    for option in options:
        _progress(f"warning: --collect is no longer needed, and the next release removes it: {option}")
    target = Target(process_id, name, command)
    folder = capture or capture_folder(target)
    if output is not None:
        keep_out_of_evidence(output, folder)
    _must_be_new(folder)
    try:
        if command:
            must_be_runnable(command[0])
        words = (*recorder, *options)
        recorded = run(find_collector(), target, folder, duration, words, STDERR if as_json else None, _load)
        page, verdict = _judge(recorded, output, late, redacted, as_json)
    except PoolscopeError as problem:
        if command and problem.exit_code not in OF_A_COMMAND:
            problem.exit_code = ExitCode.COULD_NOT
        raise
    if opens:
        webbrowser.open(page.resolve().as_uri())
    if recorded.exit_code:
        click.get_current_context().exit(recorded.exit_code)
    if not command:
        end_with_verdict(verdict)


def _must_be_new(folder: Path) -> None:
    """Reports a folder that is not empty with this verb's option: the collector's -o is --capture here."""
    if folder.is_dir() and any(folder.iterdir()):
        raise InvalidArgument(f"cannot record to {folder}: the folder is not empty; choose another with --capture")


def _load() -> None:
    """Imports the analysis, which takes half a second of processor time: not beside the recording, but beside its decoding."""
    importlib.import_module("poolscope.library.capture")


def _judge(
    recorded: Recorded, output: Path | None, late: float, redacted: bool, as_json: bool
) -> tuple[Path, VerdictJson]:
    """Prints the verdict, and returns the page and the verdict."""
    from poolscope.cli.report import default_page, say

    folder = recorded.folder
    _progress("Attributing and simulating ...")
    opened = poolscope.open(folder, late_ms=late)
    content = opened.analysis(redact=redacted)
    page = output or default_page(
        folder, redacted_name(content["capture"]["start_utc"]) if redacted else folder.name.removesuffix(".poolscope")
    )
    _progress("Writing the page ...")
    opened.report(page, redact=redacted)
    say(content["verdict"], {"report": page, "capture": folder}, as_json, exit_code=recorded.exit_code)
    return page, content["verdict"]


def _progress(said: str) -> None:
    print(said, file=sys.stderr, flush=True)
