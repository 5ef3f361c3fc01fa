"""A target in namespaces of its own, as in a container: its thread ids differ from the kernel's."""

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from conftest import COLLECT, ROOT, WORKLOADS
from live.kernel import with_kernel
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

UNSHARE = ("unshare", "--fork", "--kill-child", "--pid", "--mount", "--mount-proc")
TICKET = ("ticket", "--count", "100", "--work-ms", "1000")
"""Runs for about 20 s: the pool grows by a thread a second."""

OWN = 0.1
"""Cores that the target takes at most. The parent that waits for it is the namespaces' first process, not this one."""

OWN_TMP = 'mount --bind "$0" /mnt; mount -t tmpfs none /tmp; mkdir -p "$0"; mount --bind /mnt "$0"; cd /tmp; exec "$@"'
"""The repository, given as the first argument, keeps its path even if that is under /tmp."""


def child_of(process):
    """Returns the outer pid of the program that unshare started."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children and b"poolscope-workloads" in Path(f"/proc/{children[0]}/cmdline").read_bytes():
            return int(children[0])
        time.sleep(0.05)
    raise AssertionError("unshare started nothing")


def needs_namespaces():
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("nsenter") is None:
        pytest.skip("needs root, unshare and nsenter, to make namespaces")
    if subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/tmp"], check=False).returncode != 0:
        pytest.skip("this machine lets root make no namespaces")


@contextmanager
def contained():
    """Yields the outer pid of a program that has pid 1 inside and a /tmp of its own."""
    command = [*UNSHARE, "sh", "-c", OWN_TMP, ROOT, WORKLOADS, "run", *TICKET]
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL) as target:
        try:
            pid = child_of(target)
            time.sleep(2)
            yield pid
        finally:
            target.kill()


def collect(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def from_outside(tmp_path_factory, undisturbed):
    """Returns the pid, the output of `ps`, and the analysis."""
    needs_namespaces()

    def record():
        folder = tmp_path_factory.mktemp("container") / "capture"
        with contained() as pid:
            listed = json.loads(collect(COLLECT, "ps", "--json"))
            collect(COLLECT, "collect", "-p", pid, "--duration", "6s", "-o", folder)
        return pid, listed, folder

    pid, listed, folder = undisturbed(record, OWN)
    return pid, listed, analyse(open_capture(folder))


@pytest.fixture(scope="module")
def from_inside(undisturbed):
    """Records the same with a collector inside the target's namespaces, like a second container of its pod."""
    needs_namespaces()

    def record():
        folder = mkdtemp(dir=parent)
        with contained() as pid:
            enter = ("nsenter", "-t", pid, "-p", "-m", COLLECT)
            listed = json.loads(collect(*enter, "ps", "--json"))
            collect(*enter, "collect", "-p", 1, "--duration", "6s", "-o", f"{folder}/capture")
        return listed, Path(folder) / "capture"

    # Not under /tmp, which is a different folder there.
    with TemporaryDirectory(dir="/var/tmp") as parent:
        listed, folder = undisturbed(record, OWN)
        yield 1, listed, analyse(open_capture(folder))


def judge(analysis):
    assert analysis.coverage.execution_ms > 1000
    # Without the threads' other ids all of it would be unknown. After an attach the kernel's stream begins some tenths
    # of a second after the runtime's, and every worker may begin an item in that time.
    assert analysis.coverage.unknown_execution_ms <= 0.05 * analysis.coverage.execution_ms
    assert analysis.verdict.id == "injection-delay"
    rows = analysis.to_json()["blame"]
    assert rows and "BlockingRequest" in rows[0]["method"]


def test_from_outside_it_is_listed_once_with_its_pid_there(from_outside):
    pid, listed, _ = from_outside
    pids = [process["pid"] for process in listed]
    assert pids.count(pid) == 1 and 1 not in pids


def test_from_outside_its_threads_are_known_to_the_kernel(from_outside):
    pid, _, analysis = from_outside
    with_kernel(analysis)
    capture = analysis.capture
    ids = (capture.path / "thread-ids.csv").read_text().splitlines()[1:]
    inside = {int(line.split(",")[2]) for line in ids}
    assert 1 in inside and pid not in inside
    theirs = set(capture.table("threads").query("pid == @pid")["tid"])
    assert set(capture.table("workers")["tid"]) <= theirs
    assert set(capture.table("snapshots")["tid"]) <= theirs
    judge(analysis)


def test_from_inside_the_tier_is_one_whose_ids_are_those_of_the_container(from_inside):
    _, listed, analysis = from_inside
    assert [process["pid"] for process in listed] == [1]
    assert analysis.coverage.tier == "switch"
    refused = analysis.to_json()["capture"]["refused"]
    assert [(r["stream"], r["wanted"]) for r in refused] == [("sched", "tracepoint")]
    assert "--pid=host" in refused[0]["how"]
    judge(analysis)


def test_a_look_from_outside_reads_limits_queue_and_stacks():
    """The runtime knows its threads by the namespace's ids. A look gives up after 2 s, so a crowded machine gets
    several tries."""
    needs_namespaces()
    with contained() as pid:
        for _ in range(4):
            look = json.loads(collect(COLLECT, "look", "-p", pid, "--json"))
            if look["threads"]["not_read"] == 0:
                break
    assert look["queue"]["length"] > 0 and look["threads"]["not_read"] == 0
    assert any(group["waits"] and group["call"] for group in look["threads"]["groups"])
