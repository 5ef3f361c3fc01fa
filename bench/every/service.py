"""The time from Ctrl-C to the page: `poolscope record` attaches to a web service under load, and writes its page when
it is interrupted."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from decode.captures import LONGEST_S
from decode.goals import row

from .growth import POOLSCOPE, against_goal

SERVICE = POOLSCOPE.with_name("poolscope-service")
RATE = 400
"""Requests a second; each waits 200 ms for a database."""
SECONDS = 25.0
MARGIN_S = 30.0
"""The service outlives its recording."""
MOST_S = 4.0


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures some recordings in turn: the time after the interrupt, and the maximum memory."""
    found = [_recorded() for _ in range(options.stops)]
    wall, memory, sizes = ([took[at] for took in found] for at in range(3))
    size = f"goal, {max(sizes) / 1e6:.0f} MB of streams, {RATE} requests/s for {SECONDS:.0f} s"
    return [
        row("service.page", wall, [MOST_S] * len(wall), size, "s", 1.0),
        against_goal("service.memory", memory, None, "MB"),
    ]


def _recorded() -> tuple[float, float, float]:
    """Returns the seconds from the interrupt to the end of the command, its memory in MB, and the bytes of the
    streams."""
    load = [SERVICE, "run", "--fault", "none", "--rate", RATE, "--duration", f"{SECONDS + MARGIN_S:.0f}"]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
        [str(word) for word in load], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as service:
        try:
            time.sleep(3.0)
            capture, page = Path(folder) / "capture", Path(folder) / "page.html"
            command = [POOLSCOPE, "record", "-p", service.pid, "--capture", capture, "-o", page]
            # A process group of its own, like a terminal's foreground job: Ctrl-C reaches the collector too.
            recorder = subprocess.Popen(
                [str(word) for word in command],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            time.sleep(SECONDS)
            asked = time.monotonic()
            os.killpg(recorder.pid, signal.SIGINT)
            _, status, usage = os.wait4(recorder.pid, 0)
            took = time.monotonic() - asked
            recorder.returncode = os.waitstatus_to_exitcode(status)
            if not page.exists() or took > LONGEST_S:
                sys.exit(f"poolscope record: no page (exit code {recorder.returncode})")
            streams = json.loads((capture / "capture.json").read_text(encoding="utf-8"))["streams"]
            return took, usage.ru_maxrss / 1e3, sum(stream["bytes"] for stream in streams)
        finally:
            os.killpg(service.pid, signal.SIGTERM)
