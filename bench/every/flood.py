"""The largest recording in a goal: five minutes in which threads switch as fast as possible. Measures the losses, and
whether about ten gigabytes can be analysed."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from decode.captures import COLLECT
from decode.goals import row
from decode.processes import run
from decode.scheduler import STREAM, flooded

from .growth import POOLSCOPE

MOST_BETWEEN_US = 5.0
"""At least 200,000 switches a second."""


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures one recording: time between switches, losses, and wall time and memory of its tables and its page."""
    with tempfile.TemporaryDirectory() as folder:
        with flooded(Path(folder), options.flood) as capture:
            decoded = run([COLLECT, "decode", capture])
            manifest = json.loads((capture / "capture.json").read_text(encoding="utf-8"))
            page = Path(folder) / "page.html"
            answered = run([POOLSCOPE, "report", capture, "-o", page])
    [stream] = [s for s in manifest["streams"] if s["file"] == STREAM]
    switches = manifest["tables"]["switches"]
    size = f"{stream['bytes'] / 1e9:.1f} GB, {switches / 1e6:.0f} M switches"
    return [
        row("flood.between", [1e6 * options.flood / switches], [MOST_BETWEEN_US], f"goal, {size}", "us", 1.0),
        row(
            "flood.lost", [stream["lost"]], [stream["events"]], f"{stream['events'] / 1e6:.0f} M events", "events", 0.0
        ),
        row("flood.decode", [decoded.wall], [options.flood], f"recording, {size}", "s", None),
        row("flood.decode_memory", [decoded.resident / 1e6], [stream["bytes"] / 1e6], "file", "MB", None),
        row("flood.report", [answered.wall], [options.flood], f"recording, {size}", "s", None),
        row("flood.report_memory", [answered.resident / 1e6], [stream["bytes"] / 1e6], "file", "MB", None),
    ]
