"""What all verbs have in common: exit codes at the end of their help, and an answer to a misspelt verb."""

from __future__ import annotations

import difflib

import click

EXIT_CODES = "Exit codes: 0 ok, 2 usage, 3 unreadable input, 4 evidence insufficient, 5 internal error."


class VerbGroup(click.Group):
    """A command of verbs."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Adds a verb, and the exit codes to its help where it does not say its own."""
        if "Exit codes" not in (cmd.epilog or ""):
            cmd.epilog = f"{cmd.epilog or ''}\n\n{EXIT_CODES}"
        super().add_command(cmd, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the nearest verb where there is none of this name, or all where none is near."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            verbs = self.list_commands(ctx)
            near = difflib.get_close_matches(args[0].lower(), verbs, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"the verbs are {', '.join(verbs)}"
            raise click.UsageError(f"there is no verb {args[0]!r}; {hint}", error.ctx) from None
