"""`poolscope whatif`: other settings, simulated."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from poolscope.attribution import attribute
from poolscope.capture import open_capture
from poolscope.cli.options import capture_argument, output_option, redact_option, write_text
from poolscope.errors import ExitCode, PoolscopeError
from poolscope.redact import redact, redact_sentence
from poolscope.words import change, duration
from poolscope.whatif import Predictor, Setting, WhatIf, answer, explore
from poolscope.whatif.explore import ASKED, SWEEP, minimum
from poolscope.whatif.predict import SEED

RANGE_POINTS = 12
"""Up to so many minimums of a range A..B are all tried; of more, this many, evenly spaced by ratio."""
MOST_REPLICATIONS = 1000
WIDTH = 120
"""Columns that the tables get where the output is no terminal."""
_DURATION = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>us|µs|ms|s|min)")
_MS = {"us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}

EXAMPLES = """\b
Examples:
  poolscope whatif CAPTURE                               sweep of min threads, each fix, other loads
  poolscope whatif CAPTURE --target-p99 100ms            the fewest min threads that meet a p99 wait
  poolscope whatif CAPTURE --min-threads 2..200          a sweep of your own
  poolscope whatif CAPTURE --min-threads 16,32,64 --load 2
  poolscope whatif CAPTURE --cores 4 --max-threads 100
  poolscope whatif CAPTURE --async --json | jq '.rows[] | {label, wait_ms}'
"""


@click.command(epilog=EXAMPLES)
@capture_argument
@click.option("--min-threads", metavar="A..B", help="Minimum of worker threads: a range A..B, a number, or a list N,M.")
@click.option("--max-threads", type=int, metavar="N", help="Maximum of worker threads.")
@click.option("--cores", type=float, metavar="C", help="CPUs' worth of time that the process may use.")
@click.option("--async", "asynchronous", is_flag=True, help="Blocked items give their thread back, as with await.")
@click.option("--dedicated", is_flag=True, help="A thread of its own for every item (LongRunning).")
@click.option("--policy", metavar="NAME", help="Another pool: net, net4x, net35, net11, rotor, fixed, instant.")
@click.option("--load", type=float, metavar="X", help="X times the arrivals: thinned below 1, repeated above.")
@click.option("--target-p99", metavar="TIME", help="Find the fewest min threads whose p99 wait is this, such as 100ms.")
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Of all that is drawn.")
@click.option(
    "--replications",
    type=click.IntRange(1, MOST_REPLICATIONS),
    metavar="N",
    help="Runs of each setting; default: up to 5.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON (`what_if` of docs/analysis-json.md).")
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
    load: float | None,
    target_p99: str | None,
    seed: int,
    replications: int | None,
    as_json: bool,
    output: Path | None,
    redacted: bool,
) -> None:
    """Simulates the captured work under other settings: what would the waits have been?

    CAPTURE is a capture folder or a zip of one. The captured settings are simulated as well and held against what was
    measured, so that the error of the simulation stands beside its predictions. Without options: a sweep of the minimum
    of threads with the point from which more do not pay, each fix alone, and the present settings at higher load.
    """
    minimums = parse_threads(min_threads)
    target = parse_duration(target_p99)
    base = Setting(
        label="",
        policy={"async": None, "dedicated": None}.get(policy, policy) if policy else None,
        max_threads=max_threads,
        cores=cores,
        asynchronous=asynchronous or policy == "async",
        dedicated=dedicated or policy == "dedicated",
        load=1.0 if load is None else load,
    )
    asked = minimums is not None or replace(base, label="") != Setting(label="")
    opened = open_capture(capture)
    attribution = attribute(opened)
    total: list[int] = []

    def progress(label: str) -> None:
        total.append(1)
        if sys.stderr.isatty():
            click.echo(f"\r\033[Ksimulated {len(total)}: {label}", nl=False, err=True)

    if asked:
        predictor = Predictor(opened, attribution, replications or 5, seed)
        sweep, others = _asked(base, minimums)
        for setting in (*sweep, *(s for _, s in others)):
            predictor.check(setting)
        result = answer(predictor, sweep, others, progress=progress, target_p99_ms=target)
    else:
        result = explore(opened, attribution, replications, seed, progress, target)
    if total and sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
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


def _asked(base: Setting, minimums: list[int] | None) -> tuple[list[Setting], list[tuple[str, Setting]]]:
    """The sweep, or the one setting that the options describe."""
    if minimums is None:
        return [], [(ASKED, replace(base, label=_label(base)))]
    changed = _label(base)
    sweep = [minimum(n, base) for n in minimums]
    return [replace(s, label=f"{s.label}, {changed}" if changed else s.label) for s in sweep], []


def _label(setting: Setting) -> str:
    said = [
        setting.policy,
        f"max {setting.max_threads:,}" if setting.max_threads is not None else None,
        f"{setting.cores:g} core{'' if setting.cores == 1 else 's'}" if setting.cores is not None else None,
        "async" if setting.asynchronous else None,
        "dedicated threads" if setting.dedicated else None,
        f"{setting.load:g} times the load" if setting.load != 1.0 else None,
    ]
    return ", ".join(s for s in said if s)


def parse_threads(text: str | None) -> list[int] | None:
    """`A..B`, `N` or `N,M,...`, ascending and without repeats; None for None."""
    if text is None:
        return None
    try:
        if ".." in text:
            low, high = (int(part) for part in text.split("..", 1))
            if low > high:
                raise _usage(f"--min-threads {text}: {low:,} is above {high:,}")
            if low < 1:
                raise _usage(f"--min-threads {text}: from 1 on")
            every = range(low, high + 1)
            if len(every) <= RANGE_POINTS:
                return list(every)
            return sorted({int(n) for n in np.rint(np.geomspace(low, high, RANGE_POINTS))})
        return sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise _usage(f"--min-threads {text}: a range A..B, a number, or a list N,M") from error


def parse_duration(text: str | None) -> float | None:
    """Such as 100ms, 2s, 1.5min; in ms. None for None."""
    if text is None:
        return None
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise _usage(f"--target-p99 {text}: a time with its unit, such as 100ms or 2s")
    return float(match["number"]) * _MS[match["unit"]]


def _usage(what: str) -> PoolscopeError:
    return PoolscopeError(what, ExitCode.USAGE)


def _print(result: WhatIf, shown: Callable[[str], str]) -> None:
    """`shown`: what every text of the result goes through."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH
    c = result.captured
    console.print(
        f"Captured: min {c.min_threads:,}, max {c.max_threads:,} threads, {c.core_count:g} cores, policy {shown(c.policy)}. "
        f"{result.replications} run{'s' if result.replications > 1 else ''} of each setting, seed {result.seed}."
    )
    console.print(calibration_line(result))
    for reason in result.calibration.reasons:
        console.print(f"  {escape(shown(reason))}")
    for table in _tables(result, shown):
        console.print()
        console.print(table)
    for line in _notes(result):
        console.print(f"\n{escape(shown(line))}")
    if result.advice and not result.calibration.is_usable:
        console.print("\nOnly a hint, because the simulation of the captured settings misses what was measured:")
    for advice in result.advice:
        console.print(f"\n[bold]{escape(shown(advice.text))}[/bold]")


def calibration_line(result: WhatIf) -> str:
    """The error of the simulation in one line."""
    c = result.calibration
    words = {"good": "good", "rough": "rough", "not-to-be-trusted": "not to be trusted"}[c.confidence]
    return (
        f"Calibration {words}: mean wait simulated {_said(c.simulated['mean'])}, measured {_said(c.measured['mean'])} "
        f"({change(c.error['mean'])}); p99 {_said(c.simulated['p99'])}, measured {_said(c.measured['p99'])} "
        f"({change(c.error['p99'])}); threads {c.threads_simulated:,}, measured {c.threads_measured:,}."
    )


def _tables(result: WhatIf, shown: Callable[[str], str]) -> list[Table]:
    """Waits first, then completion and what it costs: together they are wider than a terminal."""
    waits = _table(
        "wait (enqueue to start)", ("mean", "least - most", "p50", "p99", "max", "threads", "stacks", "switches")
    )
    ends = _table("completion (enqueue to end)", ("mean", "least - most", "p50", "p99", "max", "last end"))
    for group, row in result.rows:
        is_knee = group == SWEEP and row is result.knee
        label = shown(row.setting.label) + (" (knee)" if is_knee else "") + (" (deadlock)" if row.deadlock else "")
        style = "bold" if is_knee else ""
        bound = "\N{GREATER-THAN OR EQUAL TO}" if row.lower_bound else ""
        cost = (f"{row.peak_threads:,}", f"{row.stack_bytes / 2**20:,.0f} MiB", f"{row.context_switches:,.0f}")
        wait = _statistics(row.wait_ms, row.wait_low_ms, row.wait_high_ms, bound)
        end = _statistics(row.completion_ms, row.completion_low_ms, row.completion_high_ms, bound)
        waits.add_row(escape(label), *wait, *cost, style=style)
        ends.add_row(escape(label), *end, _said(row.end_ms), style=style)
    return [waits, ends]


def _table(what: str, headings: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(what, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _statistics(statistics: dict[str, float], low: float, high: float, bound: str) -> list[str]:
    spread = "" if _said(low) == _said(high) else f"{_said(low)} - {_said(high)}"
    return [
        bound + _said(statistics["mean"]),
        spread,
        _said(statistics["p50"]),
        _said(statistics["p99"]),
        _said(statistics["max"]),
    ]


def _notes(result: WhatIf) -> list[str]:
    """What makes rows uncertain, each sentence once."""
    said = []
    if any(row.lower_bound for _, row in result.rows):
        said.append(
            "\N{GREATER-THAN OR EQUAL TO}: a lower bound. More items are under way at once than in the capture, and locks and "
            "services that nothing queued for then are invisible to it."
        )
    if any(row.deadlock for _, row in result.rows):
        said.append("Deadlock: items wait for items that can never start.")
    if result.left_out:
        said.append(result.left_out)
    return said


def _said(ms: float) -> str:
    return "never" if not np.isfinite(ms) else duration(ms) if ms > 0 else "0"
