"""`./build.sh verdicts`: the zoo and the published experiments, many times, quiet and beside spinning processes."""

from __future__ import annotations

import datetime
import os
import platform
import time
from pathlib import Path

import click
import seeds.run as seed_run
from poolscope.base.files import write_text
from verdicts.given import Given
from verdicts.kept import Kept
from verdicts.markdown import into_page, render
from verdicts.sources import Planned, seed_runs, zoo_runs
from zoo.record import Tools

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "measured" / "verdicts.md"


@click.command()
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=10,
    help="Runs of each program, quiet and beside. Default: 10.",
)
@click.option(
    "--only",
    metavar="NAMES",
    help="These programs and rows only: names, apart by commas.",
)
@click.option("--quiet-only", is_flag=True, help="Leave out the runs beside spinning processes.")
@click.option("--zoo-only", is_flag=True, help="Leave out the published experiments.")
@click.option(
    "--kept-only",
    is_flag=True,
    help="Run nothing: count what docs/measured/verdicts.json has.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Forget the verdicts so far; captures that the zoo kept are judged once more.",
)
@click.option("--write-page", is_flag=True, help="Write the tables into docs/measured/verdicts.md too.")
def main(
    runs: int,
    only: str | None,
    quiet_only: bool,
    zoo_only: bool,
    kept_only: bool,
    again: bool,
    write_page: bool,
) -> None:
    """Gives each program its verdict many times, and prints how often which verdict was given and was right.

    Resumes after an interruption: docs/measured/verdicts.json has the verdicts so far. The whole takes some seven hours.
    """
    file = ROOT / "docs" / "measured" / "verdicts.json"
    if again:
        file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = Kept(file)
    planned = [] if kept_only else _planned(runs, only, quiet_only, zoo_only)
    for number, run in enumerate(planned, 1):
        if run.run in kept:
            continue
        start = time.monotonic()
        given = run.make()
        kept.add(given)
        mark = "right" if given.right else f"WRONG, expected {' or '.join(given.expected)}"
        click.echo(
            f"[{number}/{len(planned)}] {given.run}: {given.verdict} ({given.confidence}), {mark}"
            f" ({time.monotonic() - start:.0f} s)",
            err=True,
        )
    if not kept.all():
        raise click.ClickException("there are no verdicts yet")
    measured = _measured(kept.all())
    click.echo(render(kept.all(), measured))
    if write_page:
        write_text(PAGE, into_page(PAGE.read_text("utf-8"), kept.all(), measured))


def _planned(runs: int, only: str | None, quiet_only: bool, zoo_only: bool) -> list[Planned]:
    names = set(only.split(",")) if only else None
    tools = Tools(
        ROOT / "bin" / "poolscope-collect",
        ROOT / "artifacts" / "zoo",
        ROOT / "traces" / "zoo",
    )
    seed_tools = seed_run.Tools(
        ROOT / "bin" / "poolscope-collect",
        ROOT / "bin" / "poolscope-workloads",
        ROOT / "traces" / "verdicts",
        ROOT / "reports" / "verdicts",
    )
    for folder in (tools.captures, seed_tools.captures, seed_tools.reports):
        folder.mkdir(parents=True, exist_ok=True)
    planned: list[Planned] = []
    # Number by number, so that an interrupted measurement has equally many runs of every program.
    for number in range(1, runs + 1):
        for beside in (False,) if quiet_only else (False, True):
            planned += zoo_runs(tools, range(number, number + 1), beside, names)
            if not zoo_only:
                planned += seed_runs(tools, seed_tools, range(number, number + 1), beside, names)
    return planned


def _measured(given: list[Given]) -> str:
    most = max(g.number for g in given)
    return (
        f"Measured until {datetime.date.today().isoformat()} on {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release().split('-')[0]}, .NET 10, launched; up to {most} runs of each program."
    )


if __name__ == "__main__":
    main()
