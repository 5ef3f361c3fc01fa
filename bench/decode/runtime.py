"""The runtime's stream: `poolscope-collect decode` compared with TraceEvent, Microsoft's library for it.

Both read the same file and write their results: Poolscope writes tables, TraceEvent's TraceLog writes its indexed file
(.etlx). A mere count of the events by TraceEvent, which writes nothing, is a further comparison.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from .captures import BUILT, COLLECT, alone, recorded
from .goals import row
from .processes import Took, run

TRACE_LOG = BUILT / "Poolscope.TraceLogOnly" / "release" / "Poolscope.TraceLogOnly"
STREAM = "runtime.nettrace"

MOST_OF_ITS_TIME = 1 / 3
"""Three times the speed."""
MOST_OF_THE_FILE = 2.0
"""Limit of anonymous memory, so that a capture of a gigabyte can be decoded beside the program that it recorded."""
LOOKS = 3
"""Watched runs, for the memory."""


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Returns times of pairs, memory, and the size of the input."""
    with recorded(options, "--kernel", "none") as capture, alone(capture, [STREAM]) as folder:
        file = folder / STREAM
        ours, logged, counted = [], [], []
        for _ in range(options.pairs):
            ours.append(_ours(folder))
            logged.append(_logged(file))
            counted.append(_counted(file))
        events = {int(took.output) for took in (*logged, *counted)}
        assert len(events) == 1, f"TraceEvent finds another number of events each time: {events}"
        ours_most = [_ours(folder, watch=True).anonymous / 1e6 for _ in range(LOOKS)]
        log_most = [_logged(file, watch=True).anonymous / 1e6 for _ in range(LOOKS)]
        size, millions = file.stat().st_size / 1e6, events.pop() / 1e6
    log, count = "TraceLog", "bare count"
    return [
        row("runtime.wall", [t.wall for t in ours], [t.wall for t in logged], log, "s", MOST_OF_ITS_TIME),
        row("runtime.cpu", [t.cpu for t in ours], [t.cpu for t in logged], log, "s", MOST_OF_ITS_TIME),
        row("runtime.cpu_of_count", [t.cpu for t in ours], [t.cpu for t in counted], count, "s", None),
        row("runtime.memory", ours_most, [size] * LOOKS, f"file, {millions:.1f} M events", "MB", MOST_OF_THE_FILE),
        row("runtime.memory_of_peer", ours_most, log_most, log, "MB", None),
    ]


def _ours(folder: Path, *, watch: bool = False) -> Took:
    return run([COLLECT, "decode", folder], watch=watch)


def _logged(file: Path, *, watch: bool = False) -> Took:
    with tempfile.TemporaryDirectory() as folder:
        return run([TRACE_LOG, "log", file, Path(folder) / "log.etlx"], watch=watch)


def _counted(file: Path) -> Took:
    return run([TRACE_LOG, "count", file])
