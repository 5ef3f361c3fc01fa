"""Captures with as many events as the bundled workloads can produce."""

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
COLLECT = Path(os.environ.get("POOLSCOPE_COLLECT") or BUILT / "Poolscope.Collect" / "release" / "poolscope-collect")
"""The collector as users get it, machine code, if the build names it; otherwise the build's own."""
WORKLOADS = BUILT / "Poolscope.Workloads" / "release" / "poolscope-workloads"

LONGEST_S = 900
"""Maximum length of a recording: the longest in a goal takes five minutes."""


@contextmanager
def recorded(options: argparse.Namespace, *arguments: str) -> Iterator[Path]:
    """Yields the capture that `options` names, or a new one of the `flood` workload, whose items do nothing but queue
    the next: no bundled workload produces more events a second. A new capture is deleted afterwards, unless `options`
    name a place for it. `arguments` are passed to `poolscope-collect collect`."""
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
    """Yields a capture with only these streams of another one, so that nothing else is decoded. The streams are links
    if possible, because decoding only reads them and some take gigabytes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(capture / "capture.json", Path(folder) / "capture.json")
        for name in streams:
            try:
                os.link(capture / name, Path(folder) / name)
            except OSError:
                shutil.copyfile(capture / name, Path(folder) / name)
        yield Path(folder)
