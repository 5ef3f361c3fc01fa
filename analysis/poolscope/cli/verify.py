"""`poolscope verify`: compares tables with ground truth."""

from __future__ import annotations

import json
from pathlib import Path

import click

from poolscope.cli.options import capture_argument, json_option, keep_out_of_evidence, output_option, write_text

EXAMPLES = """\b
Examples:
  poolscope verify traces/demo                    items joined, error of their start latency
  poolscope verify traces/demo --json | jq .joined
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@json_option("Print the figures as JSON instead of text.")
@output_option("Write the figures as JSON to this file.")
def verify(capture: Path, as_json: bool, output: Path | None) -> None:
    """Compares a capture of a bundled workload with the workload's own clock readings.

    CAPTURE is a capture folder or a zip of one, made by `poolscope collect -- poolscope-workloads run NAME`.
    """
    if output is not None:
        keep_out_of_evidence(output, capture)
    from poolscope.capture.fitting import open_whole
    from poolscope.measures.truth import verify as verify_capture

    figures = verify_capture(open_whole(capture))
    text = json.dumps(figures.to_json(), indent=1)
    if output is not None:
        write_text(output, text + "\n")
    if as_json:
        click.echo(text)
        return
    click.echo(f"{figures.joined:,} of {figures.items:,} items joined")
    for what, error in (("start latency", figures.start_latency_error_us), ("end", figures.end_error_us)):
        if error["median"] is not None:
            click.echo(
                f"{what} error: median {error['median']:.1f} us, p99 {error['p99']:.1f} us, max {error['max']:.1f} us"
            )
    if figures.residual_ns is not None:
        click.echo(f"wait minus its parts: at most {figures.residual_ns} ns")
