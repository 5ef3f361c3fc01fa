"""A few pairs of the overhead benchmark, on a real process."""

import json
import sys

import pytest
from live.disturbed import Repeats

from overhead import __main__ as command
from overhead import paths

pytestmark = [pytest.mark.live, pytest.mark.skipif(sys.platform != "linux", reason="captures are taken on Linux")]


def test_recording_work_items_costs_cpu_time_and_is_measured(tmp_path, capsys):
    output = tmp_path / "overhead.json"
    only = ["--only", "flood", "--only", "poolscope-runtime-only"]

    def measure():
        options = ["--pairs", "5", "--window", "0.4", "--no-page", "--output", str(output), "--json"]
        assert command.main([*only, *options]) == 0
        return json.loads(capsys.readouterr().out)["workloads"]["flood"]

    # Every other pair has this recorder. On a disturbed machine they say nothing, and may be measured again.
    (row,) = Repeats().record(measure)
    assert (row["recorder"], row["pairs"]) == ("poolscope-runtime-only", 3)
    # Two events an item cost some hundred nanoseconds; an item alone takes less than two hundred.
    assert row["added"]["value"] > 50
    assert row["bare"] > 0 and 0 < row["throughput"] < 1
    samples = json.loads(output.read_text())["samples"]
    assert [len(sample["bare"]) for sample in samples] == [2, 2, 2]
    assert all(bare["items"] > 1000 for sample in samples for bare in sample["bare"])


def test_a_recorder_that_refuses_is_left_out_with_its_own_words(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(paths, "SCHEDULER_ONLY", paths.WORKLOADS)
    output = tmp_path / "overhead.json"
    only = ["--only", "handoff", "--only", "scheduler"]
    assert command.main([*only, "--pairs", "1", "--window", "0.2", "--no-page", "--output", str(output), "--json"]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert figures["workloads"]["handoff"] == []
    assert "scheduler" in figures["refused"]
