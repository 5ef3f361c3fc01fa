"""A target as a container engine makes it: own pid, mount and user namespaces, in a cgroup with a CPU limit."""

import json
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from conftest import COLLECT, ROOT, WORKLOADS
from live.disturbed import Beside
from poolscope.capture import open_capture
from poolscope.product import analyse
from live.test_containers import OWN_TMP, UNSHARE, child_of, collect, needs_namespaces
from zoo.failed import RunFailed
from zoo.surroundings import around

pytestmark = pytest.mark.live

QUOTA = 0.5
"""Cores. `around` calls this half-a-core."""
USER = (*UNSHARE, "--user", "--map-root-user")
SPIN = ("spin", "--count", "400", "--work-ms", "50", "--min-threads", "2", "--max-threads", "2")
"""Takes about 40 s under the quota. Two threads, as after the limit was lowered while the process ran."""


@contextmanager
def limited():
    """Yields the outer pid of a computing program that has pid 1 inside and may use half a core."""
    needs_namespaces()
    if subprocess.run([*USER, "true"], check=False).returncode != 0:
        pytest.skip("this machine lets nobody make a user namespace")
    try:
        with around("half-a-core") as words:
            command = [*words, *USER, "sh", "-c", OWN_TMP, ROOT, WORKLOADS, "run", *SPIN]
            with subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL) as target:
                try:
                    pid = child_of(target)
                    time.sleep(2)
                    yield pid
                finally:
                    target.kill()
    except RunFailed as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def recorded(undisturbed):
    """Records one target from outside and then from inside; returns the outer pid, the output of `ps` there, both
    analyses, and whether another program was busy."""
    needs_namespaces()

    def record():
        folder = Path(mkdtemp(dir=parent))
        with limited() as pid:
            listed = json.loads(collect(COLLECT, "ps", "--json"))
            # The target is a process that runs on, so the measure includes its half core and a little more.
            with Beside() as beside:
                collect(COLLECT, "collect", "-p", pid, "--duration", "4s", "-o", folder / "outside")
                enter = ("nsenter", "-t", pid, "-U", "-p", "-m", "--preserve-credentials")
                collect(*enter, COLLECT, "collect", "-p", 1, "--duration", "4s", "-o", folder / "inside")
        return pid, listed, folder, beside.disturbed(QUOTA)

    with TemporaryDirectory(dir="/var/tmp") as parent:
        pid, listed, folder, disturbed = undisturbed(record, QUOTA)
        yield pid, listed, *(analyse(open_capture(folder / where)) for where in ("outside", "inside")), disturbed


def test_it_is_listed_once_with_the_pid_of_the_host(recorded):
    pid, listed, *_ = recorded
    pids = [process["pid"] for process in listed]
    assert pids.count(pid) == 1 and len(pids) == len(set(pids))
    assert not [one for one in listed if one["pid"] != pid and "spin --count 400" in one["command"]]


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_the_limit_is_the_verdict(where, recorded):
    _, _, outside, inside, disturbed = recorded
    analysis = outside if where == "outside" else inside
    assert "cgroup-throttled" in [finding.id for finding in analysis.findings]
    # Beside programs that take the cores as well, those may cost the items more than the quota does.
    assert analysis.verdict.id == "cgroup-throttled" or disturbed and analysis.verdict.id == "noisy-neighbour"
    target = analysis.capture.manifest["target"]
    assert target["cpu_quota"] == pytest.approx(QUOTA)
    assert int(analysis.capture.table("throttles")["throttled_periods"].sum()) >= 10, "of some 40 in 4 s"


def test_thread_ids_are_those_of_each_side(recorded):
    pid, _, outside, inside, _ = recorded
    for analysis, of in ((outside, pid), (inside, 1)):
        capture = analysis.capture
        theirs = set(capture.table("threads").query("pid == @of")["tid"])
        assert set(capture.table("workers")["tid"]) <= theirs
        # The kernel's stream begins up to 0.4 s later under this quota; items that began before it cannot be known
        # there.
        streams = capture.table("streams").set_index("file")["start"]
        items, parts = analysis.attribution.items, analysis.attribution.execution
        seen = items.started & (items.dequeue >= streams[capture.scheduler_stream] - capture.window[0])
        assert parts.unknown[seen].sum() <= 0.01 * (items.end - items.dequeue)[seen].sum() and seen.sum() >= 10
    assert (outside.capture.manifest["target"]["pid"], inside.capture.manifest["target"]["pid"]) == (pid, 1)
    assert inside.coverage.tier == "switch"
    if os.access("/sys/kernel/tracing/events", os.R_OK):
        assert outside.coverage.tier == "tracepoint"
