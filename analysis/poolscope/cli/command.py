"""The command and its verbs. A verb's module is loaded on first use, and some verbs belong to the collector."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from poolscope.version import __version__

SENTENCES = {
    "ps": "Lists the .NET processes that can be recorded.",
    "doctor": "Says for each stream whether it can be recorded here, why not, and how to allow it.",
    "look": "Shows the pool of a process or a dump at one moment, without recording: the queue, the methods that hold the threads, and the limits.",
    "top": "Shows the thread pool of a process second by second, without recording.",
    "watch": "Waits for a condition, such as items that wait too long, and leaves a capture of each incident and the minute before it.",
    "collect": "Records a process into a capture folder, without analysing it.",
    "recipe": "Prints the command line of another tool whose recording `decode` reads.",
    "decode": "Makes the tables of a capture from its raw streams, or a capture from another tool's recording.",
}
"""The collector's verbs, each with the first sentence of its help."""


REDACT = "--redact"
"""The one option of `look` that the collector does not have: the tokens are those of reports."""


class Handed(click.Command):
    """A verb of the collector. Its arguments go there unchanged."""

    def __init__(self, name: str) -> None:
        super().__init__(name, help=SENTENCES[name], add_help_option=False)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return ctx.args

    def invoke(self, ctx: click.Context) -> Any:
        if self.name == "look" and REDACT in ctx.args:
            return _look_redacted([word for word in ctx.args if word != REDACT])
        from poolscope.recording import find_collector
        from poolscope.recording.collector import hand_over

        hand_over(find_collector(), [str(self.name), *ctx.args])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the collector's suggestions, its options and their words; if it has none, the shell's own files."""
        from poolscope.base.errors import PoolscopeError
        from poolscope.recording import find_collector
        from poolscope.recording.collector import suggestions

        try:
            found = suggestions(find_collector(), [str(self.name), *ctx.args], incomplete)
        except PoolscopeError:
            found = []
        return [CompletionItem(word) for word in found] or [CompletionItem(incomplete, type="file")]


def _look_redacted(words: list[str]) -> None:
    """Prints the result of a look, with tokens for names that are not public."""
    from poolscope.look.redacted import redact_look
    from poolscope.look.shown import lines
    from poolscope.recording import find_collector, look_with

    as_json = "--json" in words
    found = redact_look(look_with(find_collector(), [word for word in words if word != "--json"], "poolscope"))
    click.echo(json.dumps(found, indent=2) if as_json else "\n".join(lines(found)))


EXIT_CODES = "Exit codes: 0 ok, 2 usage, 3 unreadable input, 4 not enough evidence, 5 internal error."


class VerbGroup(click.Group):
    """A command of verbs. The verb NAME is the function of that name in `poolscope.cli.NAME`, or a verb of the
    collector.

    `verbs` has the first sentence of each verb's help, so that neither help nor completion loads the verbs. Their
    imports for the analysis would delay the answer to Tab. `sections` has the names of all verbs under the headings of
    the help, in its order.
    """

    def __init__(
        self, *arguments: Any, verbs: Mapping[str, str], sections: Mapping[str, Sequence[str]], **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.verbs = {**verbs, **SENTENCES}
        self.sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self.sections.values() for name in names]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Returns the verb. Adds the exit codes that all verbs share if it does not list its own."""
        if cmd_name not in self.verbs:
            return None
        if cmd_name in SENTENCES:
            return Handed(cmd_name)
        verb: click.Command = getattr(import_module(f"poolscope.cli.{cmd_name}"), cmd_name)
        if "Exit codes" not in (verb.epilog or ""):
            verb.epilog = f"{verb.epilog or ''}\n\n{EXIT_CODES}"
        return verb

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<9}", self.verbs[name]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = [CompletionItem(n, help=self.verbs[n]) for n in self.list_commands(ctx) if n.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises a usage error for an unknown verb that names the nearest verb, or all verbs if none is near."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if isinstance(error, click.NoSuchOption):
                raise
            raise click.UsageError(
                f"there is no verb {args[0]!r}; {_instead(args[0], self.list_commands(ctx))}", error.ctx
            ) from None


def _instead(word: str, verbs: list[str]) -> str:
    """Returns the verb that the user probably meant by `word`."""
    near = difflib.get_close_matches(word.lower(), verbs, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]}?"
    if os.path.exists(word):
        return f"it is a path: poolscope report {word}"
    return f"the verbs are {', '.join(verbs)}"


VERBS = {
    "record": "Records a process, judges it, and writes the page: one step from a slow service to the ticket.",
    "report": "Writes one self-contained HTML file that says why items started late.",
    "attribute": "Splits the wait of every work item by cause and prints the verdict.",
    "whatif": "Simulates the captured work under other settings: what would the waits have been?",
    "compare": "Says what became longer or shorter from side A to side B, and whether that is more than noise.",
    "fleet": "Says which service, version, host, hour, route or code has delay that the others do not, over many captures.",
    "check": "Exits with 1 if a capture meets a condition that you name.",
    "export": "Writes a capture in a format that other tools open.",
    "verify": "Compares a capture of a bundled workload with the workload's own clock readings.",
}
"""Each verb with the first sentence of its help. `poolscope.cli.NAME` is loaded when the user calls the verb; the
collector has the others."""
SECTIONS = {
    "See what runs": ("ps", "doctor", "look", "top"),
    "Record": ("record", "watch", "collect", "recipe", "decode"),
    "Explain a capture": ("report", "attribute", "whatif"),
    "Compare captures": ("compare", "fleet", "check"),
    "Pass on": ("export", "verify"),
}
"""All verbs in the order in which one works on a ticket."""

FIRST_STEPS = """\
poolscope record -p PID --duration 30s --open     record a slow process, find the cause, show the page
poolscope record -- dotnet app.dll                start a program and record it from its first instruction
poolscope look -p PID                             see in a second what the pool does now, without recording
poolscope report CAPTURE                          write the page of a capture, for the ticket
poolscope check CAPTURE --fail-on 'incidents>0'   CI gate: exit with 1 if items started late enough to matter
poolscope --help                                  list all verbs
"""
"""The output of `poolscope` alone: the commands to try first. Lines have at most 110 characters, the width of help."""


@click.group(
    cls=VerbGroup,
    verbs=VERBS,
    sections=SECTIONS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 ok, 1 (check only) a condition holds, 2 usage, 3 unreadable input, 4 not enough evidence, 5 internal error; `record -- COMMAND` passes on the command's own (docs/exit-codes.md).",
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def poolscope(context: click.Context) -> None:
    """Says why thread-pool work items of a .NET process started late.

    `record` does everything at once: it records, finds the cause, and writes the page. The other verbs are its steps, in the order of a ticket.

    \b
    Examples:
      poolscope record -p 4711 --duration 30s --open       record, judge, show the page
      poolscope look -p 4711                               one glance, without recording; also at a core dump
      poolscope watch -n app --when 'wait>5s'              wait for the incident, then keep a capture of it
      poolscope report traces/app-20260102-030405          one HTML file for the ticket
      poolscope attribute traces/app-20260102-030405       the same as text
      poolscope whatif traces/app-20260102-030405          other settings, simulated
      poolscope compare before-* -- after-*                longer, shorter, or noise
      poolscope fleet captures/                            many captures: which host, version, route
      poolscope check CAPTURE --fail-on 'wait.p99>100ms'   a gate: exit code 1 if so
      poolscope export CAPTURE --to perfetto               for ui.perfetto.dev; also speedscope, csv, ...
      poolscope attribute CAPTURE --json | jq .verdict     for scripts
    """
    if context.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False)
