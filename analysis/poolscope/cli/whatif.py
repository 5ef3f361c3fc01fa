"""`poolscope whatif`: simulates other settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

import poolscope
from poolscope.base.errors import InvalidArgument
from poolscope.base.limits import MOST_LOAD, MOST_REPLICATIONS, POLICIES, SEED
from poolscope.cli.completion import one_of
from poolscope.cli.options import (
    capture_argument,
    json_option,
    keep_out_of_evidence,
    output_option,
    parse_duration,
    redact_option,
    write_text,
)
from poolscope.cli.terminal import console as terminal
from poolscope.cli.terminal import progress, progress_over
from poolscope.cli.whatif_tables import calibration_line, not_predicted, notes, tables

if TYPE_CHECKING:
    from poolscope import Capture, WhatIf

SHOWN = 5
"""The most endpoints that a message names."""
RANGE_POINTS = 12
"""The number of minimums up to which all of a range A..B are tried; from a longer range, this many, evenly spaced by
ratio."""

EXAMPLES = """\b
Examples:
  poolscope whatif CAPTURE                               sweep of min threads, each fix, other loads
  poolscope whatif CAPTURE --target-p99 100ms            the fewest min threads that meet a p99 wait
  poolscope whatif CAPTURE --min-threads 2..200          a sweep of your own
  poolscope whatif CAPTURE --min-threads 16,32,64 --load 2
  poolscope whatif CAPTURE --cores 4 --max-threads 100
  poolscope whatif CAPTURE --faster 10.0.0.9:5432=2       a service that answers in half the time
  poolscope whatif CAPTURE --async --json | jq '.rows[] | {label, wait_ms}'
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@click.option(
    "--min-threads",
    metavar="A..B",
    help="Minimum of worker threads, 1 to 32767: a range A..B, a number, or a list N,M. Default: as captured.",
)
@click.option(
    "--max-threads", type=int, metavar="N", help="Maximum of worker threads, 1 to 32767. Default: as captured."
)
@click.option(
    "--cores", type=float, metavar="C", help="How many CPUs the process may use, such as 1.5. Default: as captured."
)
@click.option(
    "--async", "asynchronous", is_flag=True, help="Let blocked items return their thread to the pool, as await does."
)
@click.option("--dedicated", is_flag=True, help="Give every item a thread of its own (LongRunning).")
@click.option(
    "--policy",
    metavar="NAME",
    shell_complete=one_of(*POLICIES),
    help=f"Another pool: {', '.join(POLICIES)}. Default: as captured.",
)
@click.option(
    "--load",
    type=float,
    metavar="X",
    default=1.0,
    show_default=True,
    help=f"Multiply the arrivals by X, above 0 and up to {MOST_LOAD:g}. Below 1 items are left out, above 1 they are repeated.",
)
@click.option(
    "--faster",
    metavar="[ENDPOINT=]X",
    help="Let a service that the target calls answer X times as fast, 0.001 to 1000; below 1: slower. ENDPOINT as in the "
    "report's requests, such as 10.0.0.9:5432; may be left out where there is one alone. Default: as captured.",
)
@click.option(
    "--unrecorded",
    is_flag=True,
    help="Ignore CPU time used by the recorder. Default: include it.",
)
@click.option(
    "--target-p99",
    metavar="TIME",
    help="Find the smallest minimum of threads with a p99 wait of at most this, such as 100ms.",
)
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Seed of the random numbers.")
@click.option(
    "--replications",
    type=click.IntRange(1, MOST_REPLICATIONS),
    metavar="N",
    help=f"How often to simulate a setting that depends on random numbers, 1 to {MOST_REPLICATIONS}. Default: up to 5.",
)
@json_option("Print the rows as JSON (`what_if` of docs/analysis-json.md) instead of text.")
@output_option("Write the JSON to this file.")
@redact_option
def whatif(
    capture: Path,
    min_threads: str | None,
    max_threads: int | None,
    cores: float | None,
    asynchronous: bool,
    dedicated: bool,
    policy: str | None,
    load: float,
    faster: str | None,
    unrecorded: bool,
    target_p99: str | None,
    seed: int,
    replications: int | None,
    as_json: bool,
    output: Path | None,
    redacted: bool,
) -> None:
    """Simulates the captured work under other settings: what would the waits have been?

    CAPTURE is a capture folder or a zip of one. Also simulates the captured settings and compares the result with the
    measurement, which gives the error of the simulation. Without options it simulates a sweep of the minimum of threads
    up to the point where more threads no longer help, each fix on its own, and the captured settings at higher load.
    """
    minimums = parse_threads(min_threads)
    target = parse_duration("--target-p99", target_p99)
    if output is not None:
        keep_out_of_evidence(output, capture)
    opened = poolscope.open(capture)
    total: list[int] = []

    def simulated(label: str) -> None:
        total.append(1)
        progress(f"simulated {len(total)}: {label}")

    result = opened.whatif(
        min_threads=minimums,
        max_threads=max_threads,
        cores=cores,
        asynchronous=asynchronous or policy == "async",
        dedicated=dedicated or policy == "dedicated",
        policy=None if policy in ("async", "dedicated") else policy,
        load=load,
        faster=parse_faster(faster, opened),
        unrecorded=unrecorded,
        target_p99_ms=target,
        replications=replications,
        seed=seed,
        progress=simulated,
    )
    progress_over()
    from poolscope.redact import redact, redact_sentence

    content = redact({"what_if": result.to_json()})["what_if"] if redacted else result.to_json()
    text = json.dumps(content, allow_nan=False, indent=1) + "\n"
    if output is not None:
        write_text(output, text)
    if as_json:
        click.echo(text, nl=False)
    else:
        _print(result, redact_sentence if redacted else _as_it_is)


def _as_it_is(text: str) -> str:
    return text


def parse_threads(text: str | None) -> list[int] | None:
    """Parses `A..B`, `N` or `N,M,...`, ascending and without repeats; None for None."""
    if text is None:
        return None
    try:
        if ".." not in text:
            return sorted({int(part) for part in text.split(",")})
        low, high = (int(part) for part in text.split("..", 1))
    except ValueError as error:
        raise InvalidArgument(f"--min-threads {text}: a range A..B, a number, or a list N,M") from error
    if low > high:
        raise InvalidArgument(f"--min-threads {text}: {low:,} is above {high:,}")
    if low < 1:
        raise InvalidArgument(f"--min-threads {text}: from 1 on")
    if high - low < RANGE_POINTS:
        return list(range(low, high + 1))
    step = (high / low) ** (1 / (RANGE_POINTS - 1))
    return sorted({round(low * step**n) for n in range(RANGE_POINTS)})


def parse_faster(text: str | None, capture: Capture) -> dict[str, float] | None:
    """Parses `ENDPOINT=X`, or `X` if the target calls only one service; None for None."""
    if text is None:
        return None
    endpoint, _, times = text.rpartition("=")
    try:
        number = float(times)
    except ValueError as error:
        raise InvalidArgument(f"--faster {text}: ENDPOINT=X, such as 10.0.0.9:5432=2, or X alone") from error
    if not endpoint:
        services = list(capture.services().index)
        if len(services) != 1:
            some = ", ".join(services[:SHOWN]) or "none"
            raise InvalidArgument(f"--faster {text}: which service? ENDPOINT=X; these answered: {some}")
        endpoint = services[0]
    return {endpoint: number}


def _print(result: WhatIf, shown: Callable[[str], str]) -> None:
    """Prints the result. Every text of it goes through `shown`."""
    from rich.markup import escape

    console = terminal()
    c = result.captured
    console.print(
        f"Captured: min {c.min_threads:,}, max {c.max_threads:,} threads, {c.core_count:g} cores, policy {shown(c.policy)}. "
        f"{result.replications} run{'s' if result.replications > 1 else ''} of each setting, seed {result.seed}."
    )
    console.print(calibration_line(result))
    for reason in result.calibration.reasons:
        console.print(f"  {escape(shown(reason))}")
    if misfit := result.calibration.misfit:
        console.print(f"\n{not_predicted(result, misfit)}")
    for table in tables(result, shown):
        console.print()
        console.print(table)
    for line in notes(result):
        console.print(f"\n{escape(shown(line))}")
    for advice in result.advice:
        console.print(f"\n[bold]{escape(shown(advice.text))}[/bold]")
