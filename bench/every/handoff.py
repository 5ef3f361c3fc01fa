"""How long `poolscope attribute` takes on a real recording with as many rows as there can be for an item: a minute of the
`handoff` workload, whose every item takes two switches and two wake-ups."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from decode.captures import COLLECT, LONGEST_S, WORKLOADS
from decode.goals import row

from .growth import attribute

MOST_S = 40.0
MOST_MB = 3 * 1073.741824
"""3 GiB."""


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Compares clock and memory of some analyses of one recording with the goals, and processor time with the clock."""
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / "handoff"
        load = [WORKLOADS, "run", "handoff", "--work-ms", f"{options.minute * 1000:.0f}"]
        command = [COLLECT, "collect", "--max-size", "16GB", "-o", capture, "--", *load]
        subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True, timeout=LONGEST_S)
        tables = json.loads((capture / "capture.json").read_text(encoding="utf-8"))["tables"]
        took = [attribute(capture, Path(folder) / "analysis.json") for _ in range(options.analyses)]
    items, switches, states = (
        f"{tables.get(name, 0) / 1e6:.1f} M {what}"
        for name, what in (("work_items", "items"), ("switches", "switches"), ("thread_states", "states"))
    )
    size = f"goal, {items}, {switches}, {states}"
    wall = [t.wall for t in took]
    return [
        row("handoff.wall", wall, [MOST_S] * len(took), size, "s", 1.0),
        row("handoff.cpu", [t.cpu for t in took], wall, "the clock", "s", None),
        row("handoff.memory", [t.resident / 1e6 for t in took], [MOST_MB] * len(took), size, "MB", 1.0),
    ]
