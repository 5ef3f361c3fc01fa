"""`./build.sh bench latency`: records the bundled service under every fault and load, and compares the latency of each
request with the load generator's clock; writes the table of docs/measured/requests.md. With --changes it predicts
changed settings from a capture, makes them real, and compares both."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import changes
from .measured import measure
from .packets import read_pcap
from .table import BEGIN, END, markdown
from .wire import follow, listening

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
SERVICE = RELEASE / "Poolscope.Service" / "release" / "poolscope-service"
SAMPLES = ROOT / "reports" / "latency.json"
CHANGES = ROOT / "docs" / "measured" / "request-changes.json"
PAGE = ROOT / "docs" / "measured" / "requests.md"

FAULTS = ("none", "sync", "sync-over-async", "lock", "timer", "gc")
RATES = (60, 300)
SECONDS = 8
DRAIN_S = 6
LONGEST_S = 300


@contextmanager
def _folder(keep: Path | None, name: str) -> Iterator[str]:
    """Yields a temporary folder, or a new one of this name in `keep`."""
    if keep is None:
        with tempfile.TemporaryDirectory() as folder:
            yield folder
    else:
        keep.mkdir(parents=True, exist_ok=True)
        yield tempfile.mkdtemp(prefix=f"{name}-", dir=keep)


def record(fault: str, rate: int, keep: Path | None) -> dict[str, Any]:
    """Records one run and measures it. `keep` is the folder for its capture, log and packets; None: they are
    deleted."""
    with _folder(keep, f"{fault}-{rate}") as folder:
        place, log = Path(folder) / "capture", Path(folder) / "log.csv"
        load = ["--rate", rate, "--duration", SECONDS, "--drain", DRAIN_S, "--log", log]
        command = [COLLECT, "collect", "-o", place, "--", SERVICE, "run", "--fault", fault, *load]
        packets = Path(folder) / "wire.pcap"
        with listening(packets) as tapped:
            run = subprocess.run(
                [str(c) for c in command], capture_output=True, text=True, timeout=LONGEST_S, check=True
            )
        address = re.search(r"http://127\.0\.0\.1:(\d+)/", run.stderr)
        assert address is not None, "the service did not say where it listens"
        passed = follow(read_pcap(packets), tapped[0], int(address[1]))
        return {"fault": fault, "rate": rate, **measure(place, log, passed)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench latency", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each fault and rate; default 3, some 12 minutes in all")
    parser.add_argument("--only", metavar="FAULT", choices=FAULTS, help="this fault alone")
    parser.add_argument("--rate", type=int, choices=RATES, help="this rate alone")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep captures, logs and packets of the wire there")
    parser.add_argument(
        "--no-page", action="store_true", help="leave docs/measured/requests.md and reports/latency.json as they are"
    )
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
                for rate in [arguments.rate] if arguments.rate else RATES:
                    rows.append(record(fault, rate, arguments.keep))
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        if arguments.no_page:
            return 0
        SAMPLES.parent.mkdir(exist_ok=True)
        SAMPLES.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    write_between(BEGIN, END, markdown(rows, machine()))
    return 0


def machine() -> str:
    """Returns the place and way of the measurement as a sentence."""
    return (
        f"Measured on {datetime.date.today().isoformat()}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release().split('-')[0]}, .NET 10, {SECONDS} s of load and at most {DRAIN_S} s for the rest."
    )


def write_between(begin: str, end: str, text: str) -> None:
    """Replaces the text between two lines of the page."""
    page = PAGE.read_text("utf-8")
    first, last = page.index(begin) + len(begin), page.index(end)
    PAGE.write_text(f"{page[:first]}\n\n{text}\n{page[last:]}", "utf-8")
    print(f"latency: {PAGE.relative_to(ROOT)}")


def compare_changes(runs: int, page_only: bool) -> int:
    """Compares predicted with measured changes."""
    if not page_only:
        made = changes.run_changes(COLLECT, SERVICE, SECONDS, DRAIN_S, runs)
        CHANGES.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    rows = json.loads(CHANGES.read_text("utf-8"))
    write_between(changes.BEGIN, changes.END, changes.markdown(rows, machine()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
