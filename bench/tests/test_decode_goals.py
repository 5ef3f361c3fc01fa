"""Rows of the decoding benchmark, and its measurements of a process."""

import argparse
import json
import sys

import pytest

import decode.__main__ as decoding
from decode.goals import row, table
from decode.processes import run


def test_a_row_has_the_medians_and_the_median_of_the_pairs_ratios():
    found = row("runtime.cpu", [1.0, 2.0, 9.0], [4.0, 4.0, 3.0], "TraceLog", "s", 0.5)
    assert (found["ours"], found["peer"], found["ratio"]) == (2.0, 4.0, 0.5)
    assert found["met"] is True
    assert (found["ratio_spread"], found["runs"]) == ([0.25, 3.0], 3)


@pytest.mark.parametrize(("goal", "met"), [(None, None), (0.49, False), (0.5, True)])
def test_a_goal_is_the_greatest_ratio_that_will_do(goal, met):
    assert row("runtime.memory", [50.0], [100.0], "file", "MB", goal)["met"] is met


def test_a_missed_goal_stands_in_the_table():
    lines = table([row("a.b", [3.0], [1.0], "peer", "s", 1.0), row("a.c", [1.0], [1.0], "peer", "s", None)])
    missed, other = lines.splitlines()[1:]
    assert missed.endswith("MISSED") and "at most 1.00" in missed
    assert "MISSED" not in other and "met" not in other


def test_rows_of_a_stream_that_is_not_measured_stay(tmp_path, monkeypatch):
    results = tmp_path / "decode.json"
    former = [{"id": "scheduler.cpu"}, {"id": "runtime.cpu"}]
    results.write_text(json.dumps(former))
    monkeypatch.setattr(decoding, "RESULTS", results)
    monkeypatch.setattr("decode.runtime.rows", lambda options: [{"id": "runtime.wall"}])
    assert decoding.measured(argparse.Namespace(only="runtime")) == [{"id": "runtime.wall"}, {"id": "scheduler.cpu"}]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_memory_is_what_a_process_allocates_and_not_what_it_maps(tmp_path):
    large = tmp_path / "large"
    large.write_bytes(b"x" * 40_000_000)
    code = (
        "import mmap, sys, time; held = bytearray(b'x') * 60_000_000; "
        "file = open(sys.argv[1], 'rb'); mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ); "
        "seen = sum(mapped[i] for i in range(0, len(mapped), 4096)); time.sleep(0.2); print(seen)"
    )
    took = run([sys.executable, "-c", code, large], watch=True)
    assert 60e6 < took.anonymous < 95e6
    assert took.wall > 0.2


def test_a_program_that_fails_ends_the_benchmark_with_its_words():
    with pytest.raises(SystemExit, match="exit code 3: .*broken"):
        run([sys.executable, "-c", "import sys; print('broken', file=sys.stderr); sys.exit(3)"])
