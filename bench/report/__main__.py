"""`./build.sh bench report`: makes a large capture, analyses it, renders it and opens the page in Chromium."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import browser
from seeds.pressure import cpu_pressure

from . import goals, large_capture
from .making import made

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reports" / "report-size.json"
PAGE = ROOT / "reports" / "report-size.html"
MEASURE = Path(__file__).with_name("measure.mjs")
BROWSER_SECONDS = 300


def opened(page: Path, openings: int) -> dict[str, Any]:
    """Returns the page's behaviour in Chromium; {"missing": ...} on a machine without it."""
    lacks = browser.missing()
    if lacks:
        return {"missing": lacks}
    env = {**os.environ, "POOLSCOPE_NODE_MODULES": str(browser.MODULES), "POOLSCOPE_CHROMIUM": str(browser.chromium())}
    command = ["node", str(MEASURE), str(page), str(openings)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=BROWSER_SECONDS, check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench report: the browser failed: {done.stderr.strip()}")
    seen: dict[str, Any] = json.loads(done.stdout)
    seen["ready_ms"] = round(statistics.median(o["ready_ms"] for o in seen["opened"]))
    longest = (max((d for _, d in o["long_tasks"]), default=0) for o in seen["opened"])
    seen["longest_task_ms"] = round(statistics.median(longest))
    # The part of the page with the costliest charts, because the median over all parts would hide it.
    seen["zoom_ms"] = round(max(seen["zoom_parts"].values()))
    seen["zoom_worst_ms"] = round(max(seen["zoom_step_ms"]))
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench report", description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000, help="work items in the capture (default: %(default)s)")
    parser.add_argument("--openings", type=int, default=5, help="how often the page is opened (default: %(default)s)")
    parser.add_argument("--page-only", action="store_true", help="opens the page of the run before, made as it was")
    options = parser.parse_args()
    before = json.loads(RESULTS.read_text()) if options.page_only else {}
    if not before:
        with tempfile.TemporaryDirectory() as folder:
            capture = Path(folder) / "capture"
            switches = large_capture.make(capture, options.items)
            with multiprocessing.get_context("spawn").Pool(1) as process:
                before = {"items": options.items, "switches": switches}
                before["made"] = process.apply(made, [str(capture), str(PAGE)])
    pressure = cpu_pressure()
    seen = opened(PAGE, options.openings)
    # Taken before the measurement, during which Chromium's own threads wait for each other's cores.
    result = {**before, "opened": seen, "cpu_pressure_percent": pressure}
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    rows = goals.rows(result)
    print(goals.table(rows))
    print(f"bench report: {RESULTS.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}")
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
