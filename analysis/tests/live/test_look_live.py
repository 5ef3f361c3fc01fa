"""One look at a live process, on every runtime: field names and layouts differ between runtimes."""

import json
import os
import subprocess
import time

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse

from conftest import COLLECT, RUNTIMES, published

pytestmark = [pytest.mark.live, pytest.mark.paired]

SLEEPERS_AT_ONCE = 10
"""The target's 50 items a second that sleep for 200 ms need this many threads."""


def looked(pid):
    """Returns the result of a look. Looks again if every item was between two waits (an item whose wait is over and
    that has no core yet counts as running), or if time on a crowded machine was too short for the whole queue."""
    for _ in range(8):
        done = subprocess.run([COLLECT, "look", "-p", str(pid), "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        look = json.loads(done.stdout)
        waits = any(group["waits"] for group in look["threads"]["groups"])
        named = sum(item["count"] for item in look["queue"]["items"])
        whole = look["threads"]["not_read"] == 0 and named >= 0.98 * look["queue"]["length"]
        if waits and whole and look["verdict"]["id"] != "cannot-tell":
            break
    return look


@pytest.fixture(scope="module", params=RUNTIMES)
def target(request):
    """Yields the pid of a program that has run for two seconds."""
    with subprocess.Popen([published(request.param), "sleep", "60"], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout.readline() == "ready\n"
            time.sleep(2)
            yield running.pid
        finally:
            running.kill()


def test_limits_queue_and_stacks_are_read(target):
    look = looked(target)
    processors = len(os.sched_getaffinity(0))
    assert (look["pool"]["minimum"], look["pool"]["maximum"]) == (processors, 32767)
    assert look["threads"]["not_read"] == 0
    # A thread that changes items while its stack is walked shows a part of that stack.
    groups = [(group["method"], group["call"], group["waits"]) for group in look["threads"]["groups"]]
    assert ("Work.Sleep", "System.Threading.Thread.Sleep", True) in groups
    assert look["moved"]["ended"] > 0
    if processors < SLEEPERS_AT_ONCE / 2:
        items = look["queue"]["items"]
        assert [(item["method"], item["kind"]) for item in items] == [("Work.Sleep", "task")]
        # The queue changes while its items are named.
        assert items[0]["count"] == pytest.approx(look["queue"]["length"], rel=0.02, abs=2) and items[0]["count"] > 0
        assert look["verdict"]["id"] == "injection-delay"


def test_a_capture_has_the_limits_that_no_event_tells(target, tmp_path):
    capture = tmp_path / "capture"
    options = ["--duration", "1s", "--kernel", "none", "-o", str(capture)]
    done = subprocess.run([COLLECT, "collect", "-p", str(target), *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pool = analyse(open_capture(capture)).to_json()["pool"]
    processors = len(os.sched_getaffinity(0))
    assert (pool["min_threads"], pool["max_threads"], pool["limits_known"]) == (processors, 32767, "look")
    manifest = json.loads((capture / "capture.json").read_text("utf-8"))
    look, last = manifest["look"], manifest["look_at_end"]
    assert last["time_ns"] > look["time_ns"] and (last["minimum"], last["maximum"]) == (processors, 32767)
    assert look["goal"] >= processors
    assert sum(row["count"] for row in look["queued"]) == pytest.approx(look["queue_length"], rel=0.02, abs=2)
