"""The sources that get faults, the tests that must notice them, and the draw of the faults."""

from __future__ import annotations

import hashlib
from pathlib import Path

from .faults import Fault, faults_of

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = ROOT / "analysis"
SOURCES = ANALYSIS / "poolscope"
MUTATED = ("attribution", "executions", "replay", "whatif", "base/series.py", "base/lookup.py")
"""The mathematics: measured executions, causes, the ladder, the worlds and the predictions."""
TESTS = ("attribution", "proof", "replay", "theory", "whatif", "test_series.py", "golden/test_golden.py")
FAR_TESTS = ("test_lookup.py", "measures", "product", "incidents", "findings", "cli/test_whatif.py")
"""Tests of the measures and verdicts based on these: `--far` also runs them, against the survivors."""
LEFT_OUT = "not live and not browser and not slow"
NOT_TESTS = ("test_decoding_the_raw_streams_gives_the_same_tables", "test_m_m_c_mean_wait")
"""The first runs the collector and not the analysis; the second takes minutes for two million items in plain Python."""


def sources() -> list[Path]:
    """Returns the files that get faults."""
    found = []
    for name in MUTATED:
        path = SOURCES / name
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def drawn(seed: int) -> list[Fault]:
    """Returns every fault in an order drawn by the seed: the first n are a fair sample of all. A change of one file
    keeps the order of the other files' faults."""
    every = [fault for path in sources() for fault in faults_of(path)]
    return sorted(every, key=lambda fault: hashlib.sha256(f"{seed} {fault.identity(ROOT)}".encode()).digest())
