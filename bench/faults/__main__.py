"""`./build.sh bench faults`: runs every fault scenario, stores the results in reports/faults.json, and writes
docs/measured/faults.md."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from . import page
from .outcome import Outcome

RESULTS = Path(__file__).resolve().parents[2] / "reports" / "faults.json"

SCENARIOS = (
    "collector_killed",
    "collector_killed_recording",
    "guard_killed",
    "target_killed",
    "stopped",
    "folder_lost",
    "run_out",
    "size_limit",
    "private_files",
    "privileges",
    "clock_set",
    "many_threads",
    "pid_reused",
    "two_collectors",
    "brief_targets",
    "diagnostics_off",
    "gc_without_pause",
)
"""Modules of scenarios/, in the order of the page."""


def main(given: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build bench faults", description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=SCENARIOS, help="a scenario; may repeat")
    parser.add_argument(
        "--count", type=int, default=0, help="how often, where a scenario is repeated (default: its own)"
    )
    parser.add_argument("--page-only", action="store_true", help="try nothing, write the page from earlier results")
    arguments = parser.parse_args(given)
    found: dict[str, list[dict[str, object]]] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name in [] if arguments.page_only else arguments.only or SCENARIOS:
        begin = time.monotonic()
        rows: list[Outcome] = importlib.import_module(f".scenarios.{name}", __package__).run(arguments.count)
        found[name] = [asdict(row) for row in rows]
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        for row in rows:
            print(f"{page.HELD[row.held]}: {row.situation}: {row.measured}", flush=True)
        print(f"faults: {name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    every = [Outcome(**row) for name in SCENARIOS for row in found.get(name, [])]  # type: ignore[arg-type]
    page.write(every, [name for name in SCENARIOS if name not in found])
    return 1 if any(row.held is False for row in every) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
