"""`./build.sh bench latency`: records the bundled service under every fault and load, and compares the latency of each
request with the load generator's clock; writes the table of docs/requests.md. With --changes: predicts changed settings
from a capture, makes them real, and compares."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import changes
from .measured import measure
from .table import BEGIN, END, markdown

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
SERVICE = RELEASE / "Poolscope.Service" / "release" / "poolscope-service"
SAMPLES = ROOT / "reports" / "latency.json"
CHANGES = ROOT / "docs" / "measured" / "request-changes.json"
PAGE = ROOT / "docs" / "requests.md"

FAULTS = ("none", "sync", "sync-over-async", "lock", "timer", "gc")
RATES = (60, 300)
SECONDS = 8
DRAIN_S = 6
LONGEST_S = 300


def record(fault: str, rate: int) -> dict[str, Any]:
    """Records one run and measures it."""
    with tempfile.TemporaryDirectory() as folder:
        place, log = Path(folder) / "capture", Path(folder) / "log.csv"
        load = ["--rate", rate, "--duration", SECONDS, "--drain", DRAIN_S, "--log", log]
        command = [COLLECT, "collect", "-o", place, "--", SERVICE, "run", "--fault", fault, *load]
        subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=LONGEST_S, check=True)
        return {"fault": fault, "rate": rate, **measure(place, log)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench latency", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each fault and rate; default 3, some 12 minutes in all")
    parser.add_argument("--only", metavar="FAULT", choices=FAULTS, help="this fault alone")
    parser.add_argument("--changes", action="store_true", help="predicted against measured changes, some 9 minutes")
    parser.add_argument("--page-only", action="store_true", help="make the table again from reports/latency.json")
    arguments = parser.parse_args()
    if arguments.changes:
        return compare_changes(arguments.runs, arguments.page_only)
    rows: list[dict[str, Any]] = json.loads(SAMPLES.read_text("utf-8")) if arguments.page_only else []
    if not arguments.page_only:
        faults = [arguments.only] if arguments.only else FAULTS
        for _ in range(arguments.runs):
            for fault in faults:
                for rate in RATES:
                    rows.append(record(fault, rate))
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        SAMPLES.parent.mkdir(exist_ok=True)
        SAMPLES.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    write_between(BEGIN, END, markdown(rows, machine()))
    return 0


def machine() -> str:
    """Where and how it was measured, as a sentence."""
    return (
        f"Measured on {datetime.date.today().isoformat()}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release().split('-')[0]}, .NET 10, {SECONDS} s of load and at most {DRAIN_S} s for the rest."
    )


def write_between(begin: str, end: str, text: str) -> None:
    """Replaces what stands between two lines of the page."""
    page = PAGE.read_text("utf-8")
    first, last = page.index(begin) + len(begin), page.index(end)
    PAGE.write_text(f"{page[:first]}\n\n{text}\n{page[last:]}", "utf-8")
    print(f"latency: {PAGE.relative_to(ROOT)}")


def compare_changes(runs: int, page_only: bool) -> int:
    """Predicted against measured changes."""
    if not page_only:
        made = changes.run_changes(COLLECT, SERVICE, SECONDS, DRAIN_S, runs)
        CHANGES.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    rows = json.loads(CHANGES.read_text("utf-8"))
    write_between(changes.BEGIN, changes.END, changes.markdown(rows, machine()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
