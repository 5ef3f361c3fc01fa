"""What all verbs have in common: each is loaded when it is asked for, says its exit codes at the end of its help, and is
suggested where somebody misspells it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from poolscope.cli.handed import SENTENCES, Handed

EXIT_CODES = "Exit codes: 0 ok, 2 usage, 3 unreadable input, 4 not enough evidence, 5 internal error."


class VerbGroup(click.Group):
    """A command of verbs. The verb NAME is the function of that name in `poolscope.cli.NAME`, or one that the collector has.

    `verbs` has the first sentence of each verb's help, so that neither help nor completion has to load them: what a verb
    imports in order to compute takes longer than anybody waits after pressing Tab. `sections` has the names of all verbs
    under the headings of the help, in its order.
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
        """Returns the verb, with the exit codes of all if it does not say its own."""
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
        """Names the nearest verb if there is none of this name, or all if none is near."""
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
