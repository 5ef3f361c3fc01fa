"""`./build.sh bench all`: measures every figure of speed, Poolscope's and the peer's in turn. Writes
bench/results.json, the tables of docs/measured/performance.md and its plot. Run it as root, with perf; it takes about
forty minutes, best on an idle machine."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from decode import goals, runtime, scheduler, stop

from . import flood, growth, machine, page, recordings, service, small

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results.json"

PARTS: dict[str, Callable[[argparse.Namespace], list[dict[str, Any]]]] = {
    "runtime": runtime.rows,
    "scheduler": scheduler.rows,
    "stop": stop.rows,
    "growth": growth.rows,
    "small": small.rows,
    "service": service.rows,
    "handoff": recordings.handoff,
    "timers": recordings.timers,
    "flood": flood.rows,
}
"""Keyed by the first word of their rows' ids."""


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="build bench all", description=__doc__)
    found.add_argument(
        "--only", choices=PARTS, action="append", help="these parts; the rows of the others stay as they were"
    )
    found.add_argument("--pairs", type=int, default=3, help="decodings by either, in turn (default: %(default)s)")
    found.add_argument(
        "--seconds", type=float, default=8.0, help="length of the runtime's stream to decode (default: %(default)s)"
    )
    found.add_argument(
        "--switching", type=float, default=18.0, metavar="SECONDS", help="and of the scheduler's (default: %(default)s)"
    )
    found.add_argument(
        "--flood", type=float, default=300.0, metavar="SECONDS", help="length of the largest one (default: %(default)s)"
    )
    found.add_argument("--stops", type=int, default=3, help="busy recordings that are stopped (default: %(default)s)")
    found.add_argument(
        "--minute", type=float, default=60.0, metavar="SECONDS", help="length of each of them (default: %(default)s)"
    )
    found.add_argument(
        "--items",
        type=int,
        nargs="+",
        default=list(growth.SIZES),
        help="work items of the captures to analyse (default: %(default)s)",
    )
    found.add_argument("--analyses", type=int, default=3, help="analyses of each of them (default: %(default)s)")
    found.add_argument("--page-only", action="store_true", help="the page and its plot, from the rows that are there")
    return found


def kept(rows: Sequence[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    """Returns the rows of a part from an earlier run."""
    return [row for row in rows if row["id"].split(".")[0] == part]


def main() -> int:
    options = parser().parse_args()
    options.capture = options.keep = None
    former = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"rows": []}
    rows: list[dict[str, Any]] = []
    for part, measure in PARTS.items():
        if options.page_only or (options.only and part not in options.only):
            rows += kept(former["rows"], part)
        else:
            # A part that lacks a tool returns no rows, and its earlier ones stay.
            rows += machine.dated(measure(options)) or kept(former["rows"], part)
    about = former["machine"] if options.page_only else machine.about()
    RESULTS.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    page.write(about, rows)
    print(goals.table(rows))
    print(f"bench all: {RESULTS.relative_to(ROOT)}, {page.PAGE.relative_to(ROOT)}")
    return 0 if all(row["met"] is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
