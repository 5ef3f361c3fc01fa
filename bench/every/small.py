"""Run time of `poolscope attribute` on a small capture: after other runs, and as the very first run, without Python's
cache of compiled code."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from decode.goals import row

from .growth import attribute, make

ITEMS = 100
MOST_WARM_S = 1.0
MOST_FIRST_S = 3.0


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures the first analysis, with empty caches, and the next one, several times."""
    first, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        capture, output = Path(folder) / "capture", Path(folder) / "analysis.json"
        make(capture, ITEMS)
        for number in range(options.analyses):
            caches = Path(folder) / f"caches-{number}"
            own = {"PYTHONPYCACHEPREFIX": str(caches)}
            first.append(attribute(capture, output, own).wall)
            warm.append(attribute(capture, output, own).wall)
    return [
        row("small.first", first, [MOST_FIRST_S] * len(first), "goal", "s", 1.0),
        row("small.warm", warm, [MOST_WARM_S] * len(warm), "goal", "s", 1.0),
    ]
