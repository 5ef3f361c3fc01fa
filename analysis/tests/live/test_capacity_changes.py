"""The target is pinned to one core while it runs."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from conftest import COLLECT, WORKLOADS
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = pytest.mark.live


def pin(pid, cpus):
    """Sets the affinity of all threads, like `taskset -a -p`."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            os.sched_setaffinity(int(task.name), cpus)
        except ProcessLookupError:
            pass


def test_a_pinned_process_has_one_core_from_then_on(tmp_path):
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("needs two cores")
    folder = tmp_path / "capture"
    workload = [WORKLOADS, "run", "trickle-v2", "--count", "300", "--work-ms", "20"]
    command = [COLLECT, "collect", "--kernel", "none", "--snapshots", "0", "-o", folder, "--", *workload]
    collector = subprocess.Popen(
        [str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + 20
        while not (folder / "capacity.csv").exists() or len((folder / "capacity.csv").read_text().splitlines()) < 2:
            assert time.monotonic() < until, "the recording did not begin"
            time.sleep(0.05)
        time.sleep(0.5)
        pid = json.loads((folder / "capture.json").read_text())["target"]["pid"]
        pinned = time.monotonic_ns()
        pin(pid, {allowed[0]})
        _, errors = collector.communicate(timeout=60)
    finally:
        collector.kill()
    assert collector.returncode == 0, errors
    capture = open_capture(folder)
    rows = capture.table("capacity")
    assert rows["cores"].tolist() == [len(allowed), 1.0]
    assert pinned < rows["time"].iloc[1] < pinned + 2_500_000_000
    assert [c["cores"] for c in analyse(capture).to_json()["capture"]["capacity"]] == [len(allowed), 1.0]
