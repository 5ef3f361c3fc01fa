"""With tiny buffers and a storm of events, events are lost, and the capture says so."""

import os
import subprocess
import time

import numpy as np
import pytest
from conftest import COLLECT, WORKLOADS
from live.kernel import may_trace, with_kernel
from poolscope.__main__ import run
from poolscope.base.errors import ExitCode
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

PAGE = "4096"


def record(folder, *options, workload=("overflow-storm",), rings=PAGE):
    """Makes a launched capture of the storm; the collector must finish."""
    command = [COLLECT, "collect", "--snapshots", "0", *options, "-o", folder, "--", WORKLOADS, "run", *workload]
    before = time.monotonic()
    done = subprocess.run(
        [str(c) for c in command],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "POOLSCOPE_RING_BYTES": rings},
    )
    assert done.returncode == 0, done.stderr
    storm = next(line for line in done.stderr.splitlines() if line.endswith("wake-ups a second"))
    return open_capture(folder), float(storm.split()[0].replace(",", "")), time.monotonic() - before


def test_overflown_buffers_are_reported_and_forbid_a_verdict(tmp_path_factory, undisturbed, capsys):
    def storm_of_wakeups():
        return record(tmp_path_factory.mktemp("storm") / "capture", "--buffersize", "1")

    capture, storm, took = undisturbed(storm_of_wakeups)
    assert storm > 50_000, "the storm was none"
    assert took < 60
    analysis = analyse(capture)
    lost = {loss.stream: loss for loss in analysis.coverage.losses if loss.what in ("eventpipe_lost", "perf_lost")}
    assert lost["runtime.nettrace"].count == analysis.coverage.lost > 0
    start, stop = capture.window
    rows = capture.table("losses")
    assert (rows["start"] < rows["end"]).all()
    assert (rows["end"] <= stop + 1e9).all()
    assert not rows["count"].isin([0]).any()
    if may_trace("sched/sched_switch"):
        assert lost["sched.perf.data"].count == analysis.coverage.lost_scheduler > 0
    assert run(["attribute", str(capture.path)]) == ExitCode.INSUFFICIENT
    said = capsys.readouterr().out
    assert said.startswith("Cannot tell why items waited: the runtime stream lost")
    assert "--buffersize" in said
    assert analysis.verdict.id == "cannot-tell" and analysis.verdict.confidence == "low"


def test_with_buffers_that_suffice_only_the_rings_lost_something(tmp_path):
    capture, _, _ = record(tmp_path / "rings", "--kernel", "auto", workload=("overflow-storm", "--count", "20011"))
    analysis = analyse(capture)
    with_kernel(analysis)
    assert analysis.coverage.lost == 0
    rows = capture.table("losses")
    assert set(rows["stream"]) == {"sched.perf.data"}
    streams = capture.table("streams").set_index("file")
    assert rows["count"].sum() == streams.loc["sched.perf.data", "lost"] > 0
    # Each CPU has its ring, and each reports the time of its loss.
    assert (np.diff(rows["start"]) != 0).any()
