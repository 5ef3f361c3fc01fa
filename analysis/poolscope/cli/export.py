"""`poolscope export`: writes the capture in formats that other tools open."""

from __future__ import annotations

import json
from pathlib import Path

import click

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.capture.fitting import open_whole
from poolscope.cli.options import (
    OutputPath,
    capture_argument,
    default_output,
    keep_out_of_evidence,
    redact_option,
    redacted_name,
)
from poolscope.export import FORMATS, Format, Source
from poolscope.export import export as write_export
from poolscope.export.redacted import RedactedCapture
from poolscope.html.escape import visible

VIEWS = sorted({view for form in FORMATS.values() for view in form.views})


@click.command(
    epilog="""\b
Examples:
  poolscope export traces/demo --to perfetto -o demo.pftrace
  poolscope export traces/demo --to speedscope --view cpu -o cpu.speedscope.json
  poolscope export traces/demo --to csv -o tables/
  poolscope export traces/demo --to csv -o tables.zip

\b
Formats and what opens them (docs/export.md):
"""
    + "\n".join(f"  {form.name:<12}{form.what}" for form in FORMATS.values())
)
@capture_argument
@click.option("--to", "name", type=click.Choice(list(FORMATS)), required=True, help="The format.")
@click.option(
    "-o",
    "--output",
    type=OutputPath(folder_allowed=True),
    help="The file to write; for csv, the folder. Default: named after the capture, in the current folder.",
)
@click.option(
    "--view",
    type=click.Choice(VIEWS),
    help="For folded, the view to write; for speedscope, the view to show first. blame (default): time blocked while items "
    "waited; blocked: all blocked time; cpu: CPU samples; ready: time runnable without a core.",
)
@redact_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(capture: Path, name: str, output: Path | None, view: str | None, redacted: bool, as_json: bool) -> None:
    """Writes a capture in a format that other tools open.

    CAPTURE is a capture folder or a zip of one. Prints what was written.
    """
    form = FORMATS[name]
    chosen = _view(form, view)
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = open_whole(capture)
    source = Source(RedactedCapture(opened) if redacted else opened)
    stem = redacted_name(opened.manifest["clock"]["start_utc"]) if redacted else capture.resolve().name
    target = output or default_output(capture, stem.removesuffix(".zip") + (form.suffix or "-tables"))
    written = write_export(source, form, target, chosen)
    if as_json:
        said = {"format": name, "view": chosen, "output": str(target), "counts": written.counts, "notes": written.notes}
        click.echo(json.dumps(said, indent=1, allow_nan=False))
        return
    for note in written.notes:
        click.echo(visible(note))
    counts = ", ".join(f"{count:,} {what}" for what, count in written.counts.items())
    click.echo(f"{visible(str(target))}: {counts}")


def _view(form: Format, view: str | None) -> str | None:
    if view is None:
        return form.views[0] if form.views else None
    if view not in form.views:
        raise PoolscopeError(f"{form.name} has no --view {view} (see poolscope export --help)", ExitCode.USAGE)
    return view
