"""`./build.sh bench tiers`: captures every scenario under every tier and writes the table of docs/measured/kernel-tiers.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from poolscope.capture import open_capture
from poolscope.product import analyse
from seeds.pressure import cpu_pressure

from . import table

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = RELEASE / "Poolscope.Workloads" / "release" / "poolscope-workloads"
SAMPLES = ROOT / "reports" / "tiers.json"
PAGE = ROOT / "docs" / "measured" / "kernel-tiers.md"

TIERS = ("tracepoint", "switch", "schedstat")
"""Best first: the others are compared with the first."""

SCENARIOS = (
    ("trickle-v1", "--full", "--min-threads", "10"),
    ("spin", "--count", "24", "--work-ms", "150"),
    ("lock-convoy",),
    ("noisy-neighbour",),
    ("cgroup-throttled",),
    ("ticket", "--count", "40"),
)
LONGEST_S = 300


def capture(scenario: tuple[str, ...], tier: str) -> dict[str, Any]:
    """Runs one scenario under one tier and returns its analysis.json, or the reason for having none."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "capture"
        command = [COLLECT, "collect", "--kernel", tier, "-o", place, "--", WORKLOADS, "run", *scenario]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=LONGEST_S, check=False)
        if done.returncode != 0:
            return {"failed": (done.stderr.strip() or "no message").splitlines()[-1]}
        return dict(analyse(open_capture(place)).to_json())


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench tiers", description=__doc__)
    parser.add_argument("--page-only", action="store_true", help="make the page again from reports/tiers.json")
    arguments = parser.parse_args()
    if arguments.page_only:
        rows = json.loads(SAMPLES.read_text("utf-8"))
    else:
        rows = []
        for scenario in SCENARIOS:
            for tier in TIERS:
                before = cpu_pressure()
                row = table.row(" ".join(scenario), tier, before, capture(scenario, tier))
                rows.append(row)
                print(f"{row['scenario']} {tier}: {row.get('verdict') or row['failed']}", file=sys.stderr, flush=True)
        SAMPLES.parent.mkdir(exist_ok=True)
        SAMPLES.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    page = PAGE.read_text("utf-8")
    begin, end = page.index(table.BEGIN) + len(table.BEGIN), page.index(table.END)
    PAGE.write_text(page[:begin] + "\n" + table.markdown(rows) + page[end:], "utf-8")
    print(f"tiers: {PAGE.relative_to(ROOT)}")
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
