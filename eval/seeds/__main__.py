"""`./build.sh seeds`: every experiment, one at a time, on one page."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from poolscope.cli.options import write_text
from seeds import page, pictures, product
from seeds.outcome import Outcome
from seeds.row import Expected, Row
from seeds.rows import ROWS, SECTIONS
from seeds.run import RunFailed, Tools, expected_verdicts, explain, record, was_full

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "artifacts" / "bin"
FRAMEWORKS = ("net8.0", "net9.0", "net11.0")
EXE = ".exe" if sys.platform == "win32" else ""


@click.command()
@click.option(
    "--only", multiple=True, metavar="ID", help="Run these rows only: a workload's id, or ID:VARIANT. Repeatable."
)
@click.option(
    "--full", is_flag=True, help="The published sizes; the ticket alone takes nine minutes, the barrier sixteen."
)
@click.option(
    "--framework",
    type=click.Choice(FRAMEWORKS),
    help="Run them on this runtime, in folders of their own; without it, on the SDK's.",
)
@click.option("--again", is_flag=True, help="Run nothing: judge and draw the captures of the last run again.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "reports",
    help="Folder for seeds.html and seeds.json.",
)
def main(only: tuple[str, ...], full: bool, framework: str | None, again: bool, output: Path) -> None:
    """Runs the published experiments under capture and writes seeds.html and seeds.json.

    Exit code 0 when every row ran, 1 when one did not; a verdict or a shape that is not the expected one is shown on
    the page and counted in the last line.
    """
    if full and again:
        raise click.UsageError("--full runs, --again does not")
    rows = _chosen(only)
    workloads = RELEASE / "Poolscope.Workloads" / "release"
    captures = ROOT / "traces" / "seeds"
    if framework is not None:
        workloads, captures = ROOT / "artifacts" / "workloads" / framework, captures / framework
        output /= framework
    pages = output / "seeds"
    for folder in (captures, pages):
        folder.mkdir(parents=True, exist_ok=True)
    tools = Tools(
        RELEASE / "Poolscope.Collect" / "release" / f"poolscope-collect{EXE}",
        workloads / f"poolscope-workloads{EXE}",
        captures,
        pages,
    )
    if again:
        full = _size_of_last(tools, rows)
    expected, runs, failures = _run_all(tools, rows, full, again)
    built = product.build(rows, expected, runs, failures, full)
    write_text(output / "seeds.json", json.dumps(built, indent=1, allow_nan=False) + "\n")
    write_text(output / "seeds.html", page.render(built, SECTIONS, pictures.figures(runs), pictures.tables(runs)))
    good = [row for row in built["rows"] if row.get("verdict_ok")]
    shapes = [shape["ok"] for shape in built["shapes"]]
    click.echo(
        f"seeds: {len(runs)} of {len(rows)} rows ran; {len(good)} have the expected verdict, "
        f"{sum(shapes)} of {len(shapes)} shapes agree; {output / 'seeds.html'}"
    )
    sys.exit(1 if failures else 0)


def _chosen(only: tuple[str, ...]) -> list[Row]:
    unknown = [name for name in only if name not in {r.id for r in ROWS} | {r.workload for r in ROWS}]
    if unknown:
        raise click.UsageError(f"no row {', '.join(unknown)}; there are: {' '.join(r.id for r in ROWS)}")
    return [row for row in ROWS if not only or row.id in only or row.workload in only]


def _size_of_last(tools: Tools, rows: list[Row]) -> bool:
    """Returns whether the last captures have the published sizes."""
    try:
        sizes = {was_full(tools, row) for row in rows}
    except RunFailed as problem:
        raise click.UsageError(f"--again: {problem}") from problem
    if len(sizes) > 1:
        raise click.UsageError("--again: some captures are of the published size and some are not; choose with --only")
    return sizes.pop()


def _run_all(
    tools: Tools, rows: list[Row], full: bool, again: bool
) -> tuple[dict[str, Expected], dict[str, Outcome], dict[str, str]]:
    expected: dict[str, Expected] = {}
    runs: dict[str, Outcome] = {}
    failures: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        start = time.monotonic()
        try:
            expected[row.id] = expected_verdicts(tools, row)
            if not again:
                record(tools, row, full)
            runs[row.id] = outcome = explain(tools, row)
            verdict = outcome.analysis["verdict"]["id"]
            noisy = "" if outcome.noisy is None else f"; machine busy: cpu pressure {outcome.noisy:.0f} %"
            mark = "as expected" if expected[row.id].met(outcome) else f"expected {expected[row.id]}"
            said = f"{verdict} ({mark}){noisy}"
        except RunFailed as problem:
            failures[row.id] = said = f"{problem}"
        click.echo(f"[{number}/{len(rows)}] {row.id}: {said} ({time.monotonic() - start:.0f} s)", err=True)
    return expected, runs, failures


if __name__ == "__main__":
    main()
