"""Captures with as many events as the bundled workloads can write."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "artifacts" / "bin"
COLLECT = BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = BUILT / "Poolscope.Workloads" / "release" / "poolscope-workloads"

LONGEST_S = 900
"""For a recording: the longest that a goal speaks of takes five minutes."""


@contextmanager
def recorded(options: argparse.Namespace, *arguments: str) -> Iterator[Path]:
    """Yields the capture that `options` names, or a new one of the `flood` workload, whose items do nothing but queue the next:
    nothing that is bundled writes more events a second. It goes afterwards, unless `options` say where it stays.
    `arguments`: of `poolscope-collect collect`."""
    if options.capture:
        yield options.capture
        return
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(options.keep or folder) / "flood"
        load = [WORKLOADS, "run", "flood", "--work-ms", f"{options.seconds * 1000:.0f}"]
        command = [COLLECT, "collect", "--no-decode", *arguments, "-o", capture, "--", *load]
        subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True, timeout=LONGEST_S)
        yield capture


@contextmanager
def alone(capture: Path, streams: Sequence[str]) -> Iterator[Path]:
    """Yields a capture of these files of another one and no others, so that nothing else is decoded. Streams are links if they
    can be: decoding only reads them, and some take gigabytes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(capture / "capture.json", Path(folder) / "capture.json")
        for name in streams:
            try:
                os.link(capture / name, Path(folder) / name)
            except OSError:
                shutil.copyfile(capture / name, Path(folder) / name)
        yield Path(folder)
