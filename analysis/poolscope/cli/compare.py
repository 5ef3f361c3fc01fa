"""`poolscope compare`: compares two sides of captures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.capture.fitting import open_whole
from poolscope.cli.options import keep_out_of_evidence, output_option, redact_option, write_text
from poolscope.cli.terminal import console as terminal
from poolscope.cli.terminal import even_if_nobody_reads, progress, progress_over
from poolscope.compare import compare as compare_captures
from poolscope.compare.comparison_json import ComparisonJson
from poolscope.compare.judge import BETTER, CANNOT_TELL, WORSE
from poolscope.compare.page import render
from poolscope.compare.quantity import GROUPS
from poolscope.compare.texts import (
    LATE_COLUMNS,
    between_sides,
    changed,
    late_rows,
    named,
    range_of,
    value,
    within_sides,
)
from poolscope.html.escape import visible
from poolscope.product import dumps
from poolscope.redact import redact

BETWEEN = "--"
STYLES = dict.fromkeys(WORSE, "red") | dict.fromkeys(BETTER, "green") | {CANNOT_TELL: "yellow"}

EXAMPLES = """\b
Examples:
  poolscope compare before-1 before-2 before-3 -- after-1 after-2 after-3
  poolscope compare before-* -- after-* -o compare.html      a page with the charts side by side
  poolscope compare before-* -- after-* --json | jq '.rows[] | {key, verdict, change_share}'
  poolscope compare before -- after                          single runs: shows only large changes

\b
To tell a change from noise, record at least three captures per side, in turns (docs/compare.md).
Exit codes: 0 compared, whatever the result; 2 usage; 3 unreadable input; 4 not enough evidence for some rows; 5 internal error.
"""


class _TwoSides(click.Command):
    """A command whose arguments are divided by the first `--`, which click would drop."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index(BETWEEN) if BETWEEN in args else len(args)
        # A path cannot contain the null character, so the mark differs from every capture.
        return super().parse_args(ctx, [*args[:at], _MARK, *args[at + 1 :]])


_MARK = "\0"


@click.command(cls=_TwoSides, epilog=EXAMPLES)
@click.argument("captures", nargs=-1, metavar="A... -- B...")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON (docs/compare.md).")
@output_option("Write one HTML file with the charts side by side and the JSON inside.")
@redact_option
@click.pass_context
def compare(
    context: click.Context, captures: tuple[str, ...], as_json: bool, output: Path | None, redacted: bool
) -> None:
    """Says what became longer or shorter from side A to side B, and whether that is more than noise.

    A and B are captures, folders or zips of them, of the same work before and after a change: wait and completion, each
    part of the wait, and what else differs between the sides.
    """
    a, b = sides(captures)
    if output is not None:
        keep_out_of_evidence(output, *a, *b)
    for path in (*a, *b):
        open_whole(path)  # reports a misspelt name before the analysis of the others takes its time

    found = compare_captures(a, b, lambda path: progress(f"analysing {visible(str(path))}"))
    progress_over()
    content = redact(found.to_json()) if redacted else found.to_json()
    if output is not None:
        write_text(output, render(content))
    with even_if_nobody_reads():
        if as_json:
            click.echo(dumps(content), nl=False)
        else:
            _print(content)
            if output is not None:
                click.echo(f"comparison: {visible(str(output))}")
    if found.insufficient:
        reason = content["notes"][found.notes().index(found.insufficient[0])]
        click.echo(f"poolscope: cannot tell all of it: {visible(reason)}", err=True)
        context.exit(int(ExitCode.INSUFFICIENT))


def sides(arguments: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Returns the captures before and after the mark. Raises PoolscopeError (usage)."""
    at = arguments.index(_MARK)
    a, b = ([Path(word) for word in side] for side in (arguments[:at], arguments[at + 1 :]))
    if not a or not b:
        raise PoolscopeError("compare needs captures on both sides: poolscope compare A... -- B...", ExitCode.USAGE)
    seen: set[Path] = set()
    for path in (*a, *b):
        if path.resolve() in seen:
            raise PoolscopeError(f"{path} is given twice: a capture counts once", ExitCode.USAGE)
        seen.add(path.resolve())
    return a, b


def _print(content: ComparisonJson) -> None:
    console = terminal()
    console.print(f"[bold]{_text(content['text'])}[/bold]")
    for note in content["notes"]:
        console.print(f"  {_text(note)}")
    for title, conditions in (
        ("The sides differ in more than the wait:", between_sides(content)),
        ("The captures of one side are not alike:", within_sides(content)),
    ):
        if conditions:
            console.print(f"\n[bold]{title}[/bold]")
            for words, of_a, of_b in conditions:
                console.print(f"  {words}: A {_text(of_a)}; B {_text(of_b)}")
    console.print()
    if late := late_rows(content):
        table = Table(box=None, pad_edge=False)
        for heading in ("", *LATE_COLUMNS):
            table.add_column(heading.lower(), no_wrap=True)
        for number, name, *cells in late:
            table.add_row(*(_text(cell) for cell in (f"{number} {name}", *cells)))
        console.print(table)
        console.print()
    table = Table(box=None, pad_edge=False)
    for heading, side in (
        ("", "left"),
        ("A", "right"),
        ("B", "right"),
        ("change", "right"),
        ("95 %", "left"),
        ("", "left"),
    ):
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for group, words in GROUPS.items():
        rows = [row for row in content["rows"] if row["group"] == group]
        if rows:
            table.add_row(f"[bold]{words}[/bold]")
        for row in rows:
            verdict = f"[{STYLES[row['verdict']]}]{row['verdict']}[/]" if row["verdict"] in STYLES else row["verdict"]
            table.add_row(
                f"  {_text(named(row))}",
                value(row, "a"),
                value(row, "b"),
                changed(row),
                range_of(row),
                verdict,
            )
    console.print(table)
    reasons = dict.fromkeys(row["reason"] for row in content["rows"] if row["verdict"] == CANNOT_TELL and row["reason"])
    for reason in reasons:
        console.print(f"\ncannot tell: {_text(reason)}.")
    if needed := content["rows"][0]["captures_needed"]:
        console.print(f"The {content['rows'][0]['words']} would take {needed} captures of each side.")


def _text(text: str) -> str:
    """Returns the text without the terminal's markup and without characters that move its cursor."""
    return escape(visible(text))
