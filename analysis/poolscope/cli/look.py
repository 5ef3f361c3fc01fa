"""`poolscope look`: one glance at a process or a dump, which the collector takes."""

from __future__ import annotations

from pathlib import Path

import click

from poolscope.base.errors import InvalidArgument
from poolscope.cli.options import json_option
from poolscope.cli.record import ProcessId

EXAMPLES = """\b
Examples:
  poolscope look -p 4711                 what is queued, who holds the threads, what the limits are
  poolscope look -n app --json           the same for scripts
  poolscope look core.4711               the same of a core dump; `poolscope report core.4711` makes a page of it

Exit codes: 0 ok, 2 usage, 3 the process or the dump cannot be read, 4 not enough evidence (only of `report`), 5 internal
error.
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "-p",
    "--process-id",
    type=ProcessId(1),
    metavar="PID",
    help="Look at this process, which is not stopped. Default: -n or DUMP says which.",
)
@click.option(
    "-n",
    "--name",
    metavar="NAME",
    help="Look at the process of this name, as `ps` shows it. Default: -p or DUMP says which.",
)
@click.argument("dump", required=False, type=click.Path(path_type=Path), metavar="[DUMP]")
@json_option("Print what was seen as JSON instead of text.")
@click.option(
    "--dac",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The libmscordaccore.so of the target's runtime. Default: the one beside the runtime, or of an installed runtime of the same build.",
)
def look(process_id: int | None, name: str | None, dump: Path | None, as_json: bool, dac: Path | None) -> None:
    """Shows in a second what a thread pool does at this moment, without recording.

    Says what to look at with one of -p, -n and DUMP, a core dump. How long items wait only a recording tells (docs/look.md).
    """
    from poolscope.recording import find_collector, look_here

    if sum(given is not None for given in (process_id, name, dump)) != 1:
        raise InvalidArgument("say what to look at: one of -p PID, -n NAME, or a dump")
    words = ["-p", str(process_id)] if process_id is not None else ["-n", name] if name is not None else [str(dump)]
    options = [*(["--json"] if as_json else []), *(["--dac", str(dac)] if dac is not None else [])]
    look_here(find_collector(), [*options, *words])
