"""`poolscope fleet`: asks one question of many captures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolscope.base.errors import ExitCode, InvalidArgument
from poolscope.cli.options import (
    OutputPath,
    json_option,
    keep_out_of_evidence,
    late_option,
    output_option,
    redact_option,
    write_text,
)
from poolscope.cli.terminal import console as terminal, even_if_nobody_reads, progress, progress_over

if TYPE_CHECKING:
    from poolscope.fleets.answer import FleetAnswer
    from poolscope.fleets.question import Progress, Question

DEFAULT_PAGE = "fleet.html"
REPORTS = 10
FOLLOW_S = 30
EXAMPLES = """\b
Examples:
  poolscope fleet captures/                              every capture in a folder, on all CPUs
  poolscope fleet 'shop-*' cart.zip --group-by zone      globs and zips, also by the label `zone`
  poolscope fleet s3://bucket/captures -o monday.html    object storage, through fsspec
  poolscope fleet captures/ --scheduler tcp://head:8786  on the workers of a Dask cluster
  poolscope fleet incoming/ --follow                     again whenever a capture arrives, until Ctrl-C
  poolscope fleet captures/ --json | jq -r '.ranking[] | .text'

\b
Captures get labels as they are recorded: poolscope record --label service=shop --label version=1.2 ...
Exit codes: 0 answered, whatever the answer; 2 usage; 3 no capture could be analysed; 4 not enough evidence; 5 internal error; 130 interrupted.
"""


@click.command(epilog=EXAMPLES)
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURES...")
@output_option(f"The page to write. Default: {DEFAULT_PAGE}; none with --json.")
@click.option(
    "--table",
    type=OutputPath(),
    metavar="FILE",
    help="Also write one row per capture: .npz, .csv or .parquet. Default: none.",
)
@json_option("Print fleet.json (docs/fleet.md) instead of text.")
@click.option(
    "--group-by",
    "group_by",
    multiple=True,
    metavar="KEY",
    help="Also group by a key of the manifest, such as target.cpu_quota. Repeatable. Default: service, version, host, host class, hour, runtime, and every label.",
)
@click.option(
    "--label-from-path",
    "labels_from",
    metavar="PATTERN",
    help="Take labels from the path, such as '{service}/{version}/{*}'. A capture's own labels win. Default: none.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Processes on this machine; 1 works without Dask. Default: one per CPU.",
)
@click.option(
    "--scheduler",
    metavar="URL",
    help="Address of a Dask scheduler whose workers analyse, such as tcp://head:8786. Default: workers on this machine.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder for kept results. Default: $POOLSCOPE_CACHE, else poolscope in the user's cache folder.",
)
@click.option("--no-cache", is_flag=True, help="Do not reuse or keep results.")
@click.option(
    "--reports",
    type=click.IntRange(0, 1000),
    default=REPORTS,
    show_default=True,
    metavar="N",
    help="Also write full reports for up to N outliers, beside the page. Not with --redact.",
)
@click.option(
    "--follow",
    is_flag=True,
    help=f"Ask again whenever captures came, looking every {FOLLOW_S} seconds, until Ctrl-C.",
)
@late_option
@redact_option
def fleet(
    captures: tuple[str, ...],
    output: Path | None,
    table: Path | None,
    as_json: bool,
    group_by: tuple[str, ...],
    labels_from: str | None,
    workers: int | None,
    scheduler: str | None,
    cache: Path | None,
    no_cache: bool,
    reports: int,
    follow: bool,
    late: float,
    redacted: bool,
) -> None:
    """Says which service, version, host, hour, route or code has delay that the others do not, over many captures.

    CAPTURES are capture folders and zips of them, folders of captures, globs, and URLs of any file system that fsspec knows.
    Workers analyse each capture in place and send only figures. Poolscope keeps results by content, so a second question is quick, and an interrupted run resumes. A capture that cannot be analysed is listed with its reason.
    """
    from poolscope.fleets.cluster import Cluster, default_workers
    from poolscope.fleets.question import Question, changes, listed
    from poolscope.fleets.table import check_table
    from poolscope.base.files import cache_folder

    if scheduler is not None and workers is not None:
        raise InvalidArgument("--workers are processes on this machine, and --scheduler has its own: leave one out")
    if no_cache and cache is not None:
        raise InvalidArgument("--cache and --no-cache contradict each other: leave one out")
    page = output or (None if as_json else Path(DEFAULT_PAGE))
    for place in (page, table):
        if place is not None:
            keep_out_of_evidence(place, *(Path(word) for word in captures if "://" not in word and _is_capture(word)))
    if table is not None:
        check_table(table)
        if redacted:
            raise InvalidArgument("--table has every path and label as it is: leave it or --redact out")
    question = Question(
        captures=captures,
        cluster=Cluster(workers or default_workers(), scheduler),
        cache=None if no_cache else cache or cache_folder(),
        late_ms=late,
        group_by=group_by,
        labels_from=labels_from,
    )
    kept = 0 if redacted else reports
    if not follow:
        answer = _answer(question)
        _write(answer, page, table, as_json, kept, redacted)
        _end(answer)
        return
    for _ in changes(listed(list(captures)), FOLLOW_S):
        _write(_answer(question), page, table, as_json, kept, redacted)


def _is_capture(word: str) -> bool:
    """Returns whether a path is itself a capture: a page may lie in a folder of captures, but not in a capture."""
    path = Path(word)
    return path.is_file() or (path / "capture.json").exists()


def _answer(question: Question) -> FleetAnswer:
    try:
        return question.answer(_show)
    except KeyboardInterrupt:
        progress_over()
        if question.cache is not None:
            click.echo("poolscope: results so far are kept: the same command resumes from here", err=True)
        raise
    finally:
        progress_over()


def _show(state: Progress) -> None:
    failed = f", {state.failed} failed" if state.failed else ""
    cached = f", {state.cached} known already" if state.cached else ""
    progress(f"analysed {state.done:,} of {state.of:,}{cached}{failed}")


def _write(
    answer: FleetAnswer, page: Path | None, table: Path | None, as_json: bool, reports: int, redacted: bool
) -> None:
    from poolscope.fleets.answer_json import to_json
    from poolscope.fleets.page import render
    from poolscope.fleets.reports import named_captures, write_reports
    from poolscope.fleets.table import captures_frame, write_table
    from poolscope.html.escape import visible
    from poolscope.product import dumps
    from poolscope.redact import redact

    links: dict[str, str] = {}
    if page is not None and reports:
        sources = named_captures(answer, reports)
        links = write_reports(page, sources, answer.late_ms, lambda source: progress(f"report of {visible(source)}"))
        progress_over()
    content = to_json(answer, links)
    if redacted:
        content = redact(content)
    if page is not None:
        write_text(page, render(content))
    if table is not None:
        write_table(table, captures_frame(answer))
    with even_if_nobody_reads():
        if as_json:
            click.echo(dumps(content), nl=False)
        else:
            _print(content)
            for kind, path in (("page", page), ("table", table)):
                if path is not None:
                    click.echo(f"{kind}: {visible(str(path))}")


def _print(content: dict[str, Any]) -> None:
    from rich.markup import escape

    from poolscope.compare.texts import late_cells
    from poolscope.html.escape import visible

    console = terminal()
    console.print(f"[bold]{escape(visible(content['text']))}[/bold]")
    told = content["captures"]
    console.print(
        f"{told['analysed']:,} of {told['asked']:,} captures analysed, {told['from_cache']:,} known already\n"
    )
    for one in content["late"]:
        count, cost, place, name = late_cells(one, "")
        words = ", ".join(word for word in (f"{count} late", cost, place, name) if word)
        console.print(f"{escape(visible(one['source']))}: {escape(visible(words))}")
    for number, row in enumerate(content["ranking"], 1):
        console.print(f"{number}. {escape(visible(row['text']))}")
    for one in content["failed"]:
        console.print(
            f"[yellow]not analysed:[/yellow] {escape(visible(one['source']))}: {escape(visible(one['reason']))}"
        )


def _end(answer: FleetAnswer) -> None:
    """Ends the verb with an error if no capture was analysed, or if none has enough evidence for an answer."""
    context = click.get_current_context()
    if not answer.rows:
        click.echo("poolscope: no capture could be analysed", err=True)
        context.exit(int(ExitCode.UNREADABLE))
    if not any((own.count > 0).any() for own in answer.figures.whole.values()):
        click.echo("poolscope: cannot tell where the delay is, because no capture has a kernel stream", err=True)
        context.exit(int(ExitCode.INSUFFICIENT))
