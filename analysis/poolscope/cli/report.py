"""`poolscope report`: writes one HTML file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

import poolscope
from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError
from poolscope.cli.options import (
    PartOptions,
    capture_argument,
    default_output,
    end_with_verdict,
    json_option,
    keep_out_of_evidence,
    late_option,
    output_option,
    own_option,
    part_options,
    redact_option,
    redacted_name,
    write_text,
)

if TYPE_CHECKING:
    from poolscope.contract.analysis_json import VerdictJson

EXAMPLES = """\b
Examples:
  poolscope report traces/demo                      reports/demo.html, or demo.html
  poolscope report traces/demo -o ticket-4711.html  a page of this name
  poolscope report trace.nettrace                   from dotnet-trace; makes the capture trace.poolscope beside it
  poolscope report tp.etl.zip                       from PerfView, on Windows; makes tp.poolscope
  poolscope report core.4711                        from a core dump: the queue, and the methods that held the threads
  poolscope report demo.zip --redact                without names, paths and arguments
  poolscope report traces/demo --json | jq -r .report
"""


MADE_BY = b"<footer><p>Made by poolscope "
"""A line of every report (templates/page.html)."""


@click.command(epilog=EXAMPLES)
@capture_argument
@output_option("The page to write. Default: reports/NAME.html if a folder `reports` exists, else NAME.html.")
@json_option("Print the verdict and the path of the page as JSON instead of text.")
@late_option
@part_options
@own_option
@redact_option
@click.option(
    "--scheduler",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For a .nettrace: the perf.data recorded at the same time, or its text from `perf script` (poolscope recipe perf). Default: the one in the same zip or folder, if CAPTURE is one.",
)
def report(
    capture: Path,
    output: Path | None,
    as_json: bool,
    late: float,
    part: PartOptions,
    own: list[str] | None,
    redacted: bool,
    scheduler: Path | None,
) -> None:
    """Writes one self-contained HTML file that says why items started late.

    CAPTURE is a capture folder or a zip of one; a .nettrace of dotnet-trace, alone, zipped or gzipped, also with the perf.data of the same time; or an .etl or .etl.zip of PerfView. From a trace, Poolscope first makes a capture beside it (docs/other-tools.md). For a core dump, the page shows its one moment (docs/look.md). The page needs no network: attach it to a ticket as it is.
    The verdict and the path of the page go to stdout. The capture is only read.
    """
    from poolscope.capture.file_kinds import is_dump

    if output is not None:
        keep_out_of_evidence(output, capture)
    if is_dump(capture):
        if own is not None:
            raise InvalidArgument("--own goes with a recording; a dump does not say whose an assembly is")
        _report_dump(capture, output, as_json, redacted)
        return
    capture = _made_of_trace(capture, output, scheduler)
    opened = poolscope.open(capture, late_ms=late, own=own, **part)
    content = opened.analysis(redact=redacted)
    page = output or default_page(
        capture,
        redacted_name(content["capture"]["start_utc"])
        if redacted
        else capture.resolve().name.removesuffix(".zip").removesuffix(".poolscope"),
    )
    if output is None:
        keep_other_pages(page)
    opened.report(page, redact=redacted)
    say(content["verdict"], {"report": page}, as_json)
    end_with_verdict(content["verdict"])


def _report_dump(dump: Path, output: Path | None, as_json: bool, redacted: bool) -> None:
    """Writes the page of the moment that a dump holds."""
    from poolscope.look.shown import render
    from poolscope.look.redacted import redact_look
    from poolscope.recording import find_collector, look_at_dump

    found = look_at_dump(find_collector(), dump)
    if redacted:
        found = redact_look(found)
    verdict: VerdictJson = {
        "id": found["verdict"]["id"],
        "text": f"{found['text']} {found['verdict']['why']}",
        "confidence": found["verdict"]["confidence"],
        "reasons": [],
    }
    page = output or default_page(dump, "redacted" if redacted else dump.name.removesuffix(".dmp"))
    if output is None:
        keep_other_pages(page)
    write_text(page, render(found))
    say(verdict, {"report": page}, as_json)
    end_with_verdict(verdict)


def _made_of_trace(path: Path, output: Path | None, scheduler: Path | None) -> Path:
    """Returns the capture that the collector makes from a trace of another tool, or `path` itself if it is a
    capture."""
    from poolscope.capture.file_kinds import quoted
    from poolscope.recording import (
        PERF_FILES,
        find_collector,
        kernel_events_beside,
        made_folder,
        make_capture,
        place_for,
        trace_in,
    )

    with trace_in(path) as trace:
        if trace is None:
            if scheduler is not None and path.exists():
                raise InvalidArgument("--scheduler goes with a .nettrace file")
            return path
        folder = place_for(made_folder(trace if path.is_dir() else path), path, output)
        if output is not None:
            keep_out_of_evidence(output, folder)
        sent = kernel_events_beside(trace) if scheduler is None and trace != path else None
        if sent is not None:
            try:
                return make_capture(find_collector(), trace, folder, sent)
            except PoolscopeError as refused:
                if refused.exit_code != ExitCode.UNREADABLE:
                    raise
                click.echo(f"{path}: read without {sent.name}", err=True)
        if scheduler is None and trace == path and (beside := kernel_events_beside(trace, PERF_FILES)):
            again = f"poolscope report {quoted(trace)} --scheduler {quoted(beside)}"
            click.echo(f"{beside.name} lies beside it and is not read; to read both, run: {again}", err=True)
        return make_capture(find_collector(), trace, folder, scheduler)


def keep_other_pages(page: Path) -> None:
    """Raises InvalidArgument if a page without a given name would replace a file that is not a report."""
    try:
        is_report = MADE_BY in page.read_bytes()
    except OSError:
        return
    if not is_report:
        raise InvalidArgument(f"{page} exists and is not a Poolscope report: name another file with -o")


def say(verdict: VerdictJson, written: dict[str, Path], as_json: bool, **more: object) -> None:
    """Prints the verdict and the written files, by kind; `more` is for scripts alone."""
    from poolscope.html.escape import visible

    if as_json:
        judged = {"id": verdict["id"], "text": verdict["text"], "confidence": verdict["confidence"]}
        paths = {kind: str(path) for kind, path in written.items()}
        # ASCII: a path may hold bytes that are no text.
        click.echo(json.dumps({"verdict": judged, **paths, **more}, indent=1, allow_nan=False))
        return
    click.echo(visible(verdict["text"]))
    click.echo(f"verdict: {verdict['id']} (confidence: {verdict['confidence']})")
    for kind, path in written.items():
        click.echo(f"{kind}: {visible(str(path))}")


def default_page(capture: Path, stem: str) -> Path:
    """Returns the default place of a page named `stem`."""
    return default_output(capture, stem + ".html", Path("reports") if Path("reports").is_dir() else None)
