"""A target in namespaces of its own, as in a container, recorded from outside: its thread ids are not those of the kernel."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from live.conftest import COLLECT, WORKLOADS
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = pytest.mark.live

UNSHARE = ("unshare", "--fork", "--kill-child", "--pid", "--mount", "--mount-proc")
TICKET = ("ticket", "--count", "100", "--work-ms", "1000")
"""Runs for some 20 s: a pool that grows by a thread a second."""


def child_of(process):
    """The pid outside of the program that unshare started."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children and b"poolscope-workloads" in Path(f"/proc/{children[0]}/cmdline").read_bytes():
            return int(children[0])
        time.sleep(0.05)
    raise AssertionError("unshare started nothing")


@pytest.fixture(scope="module")
def contained(tmp_path_factory, until_quiet):
    """The capture, and what `ps` says meanwhile, of a program that calls itself pid 1 and has a /tmp of its own."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare, to make namespaces")
    folder = tmp_path_factory.mktemp("container")
    until_quiet()
    inside = 'mount -t tmpfs none /tmp && cd /tmp && exec "$@"'
    command = [*UNSHARE, "sh", "-c", inside, "sh", WORKLOADS, "run", *TICKET]
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL) as target:
        try:
            pid = child_of(target)
            time.sleep(2)
            listed = subprocess.run([COLLECT, "ps", "--json"], capture_output=True, text=True, timeout=60, check=True)
            recorded = subprocess.run(
                [COLLECT, "collect", "-p", str(pid), "--duration", "6s", "-o", folder / "capture"],
                capture_output=True,
                text=True,
                timeout=120,
            )
        finally:
            target.kill()
    assert recorded.returncode == 0, recorded.stderr
    return pid, json.loads(listed.stdout), analyse(open_capture(folder / "capture"))


def test_it_is_listed_once_with_its_pid_outside(contained):
    pid, listed, _ = contained
    assert [process["pid"] for process in listed].count(pid) == 1
    assert 1 not in [process["pid"] for process in listed]


def test_its_threads_are_known_to_the_kernel(contained):
    pid, _, analysis = contained
    if analysis.coverage.tier != "tracepoint":
        pytest.skip("needs the kernel stream: root, or CAP_PERFMON and tracefs")
    capture = analysis.capture
    ids = (capture.path / "thread-ids.csv").read_text().splitlines()[1:]
    inside = {int(line.split(",")[2]) for line in ids}
    assert 1 in inside and pid not in inside
    theirs = set(capture.table("threads").query("pid == @pid")["tid"])
    assert set(capture.table("workers")["tid"]) <= theirs
    assert set(capture.table("snapshots")["tid"]) <= theirs
    assert analysis.coverage.execution_ms > 1000
    assert analysis.coverage.unknown_execution_ms <= 0.01 * analysis.coverage.execution_ms


def test_it_has_a_verdict_and_the_code(contained):
    _, _, analysis = contained
    assert analysis.verdict.id == "injection-delay"
    rows = analysis.to_json()["blame"]
    assert rows and rows[0]["method"] and "BlockingRequest" in rows[0]["method"]
