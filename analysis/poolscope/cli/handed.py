"""Verbs of the collector under this command: everything after the verb is the collector's, `--help` too."""

from __future__ import annotations

import json
from typing import Any

import click
from click.shell_completion import CompletionItem

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
"""Each verb with the first sentence of its help."""


REDACT = "--redact"
"""The one option of `look` that the collector does not have: the tokens are those of reports."""


class Handed(click.Command):
    """A verb that the collector has. Its words go there as they are."""

    def __init__(self, name: str) -> None:
        super().__init__(name, help=SENTENCES[name], add_help_option=False)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return ctx.args

    def invoke(self, ctx: click.Context) -> Any:
        if self.name == "look" and REDACT in ctx.args:
            return _look_redacted([word for word in ctx.args if word != REDACT])
        from poolscope.recording import find_collector
        from poolscope.recording.handover import hand_over

        hand_over(find_collector(), [str(self.name), *ctx.args])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offers what the collector does: its options and their words; else the shell's own files."""
        from poolscope.base.errors import PoolscopeError
        from poolscope.recording import find_collector
        from poolscope.recording.handover import suggestions

        try:
            found = suggestions(find_collector(), [str(self.name), *ctx.args], incomplete)
        except PoolscopeError:
            found = []
        return [CompletionItem(word) for word in found] or [CompletionItem(incomplete, type="file")]


def _look_redacted(words: list[str]) -> None:
    """Prints what a look says, with tokens for names that are not public."""
    from poolscope.look.redacted import redact_look
    from poolscope.look.text import lines
    from poolscope.recording import find_collector, look_with

    as_json = "--json" in words
    found = redact_look(look_with(find_collector(), [word for word in words if word != "--json"], "poolscope"))
    click.echo(json.dumps(found, indent=2) if as_json else "\n".join(lines(found)))
