"""A Dask scheduler and its workers as separate processes over TCP, and captures over HTTP."""

import contextlib
import functools
import http.server
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from poolscope.fleets.cluster import Cluster
from poolscope.fleets.row import Failed, Row
from poolscope.fleets.question import ask

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "traces" / "golden"
NAMES = ("healthy", "injection-delay", "core-contention")
START_S = 60

pytestmark = pytest.mark.built


@contextlib.contextmanager
def processes(*commands):
    """Runs Python modules until the block ends."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "analysis")}
    none = subprocess.DEVNULL
    running = [
        subprocess.Popen([sys.executable, "-m", *map(str, command)], env=env, stdin=none, stdout=none, stderr=none)
        for command in commands
    ]
    try:
        yield running
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(START_S)


@pytest.fixture
def scheduler(tmp_path):
    """Returns the address of a scheduler with two workers."""
    pytest.importorskip("distributed")
    told = tmp_path / "scheduler.json"
    command = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with processes((*command, "--scheduler-file", told)):
        end = time.monotonic() + START_S
        while not told.is_file() and time.monotonic() < end:
            time.sleep(0.1)
        address = json.loads(told.read_text())["address"]
        worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard")
        places = (("--local-directory", tmp_path / f"worker-{n}") for n in range(2))
        with processes(*((*worker, *place) for place in places)):
            yield address


def test_workers_elsewhere_give_the_answer_that_this_process_gives(scheduler, tmp_path):
    sources = [str(GOLDEN / f"{name}.zip") for name in NAMES]
    here = ask(sources, 50.0, Cluster(1), None)
    there = ask([*sources, str(tmp_path / "absent")], 50.0, Cluster(2, scheduler), tmp_path / "cache")
    assert all(isinstance(row, Row) for row in (*here, *there[:3])) and isinstance(there[3], Failed)
    for one, other in zip(here, there[:3], strict=True):
        assert (one.wait.total, one.wait.count, one.source) == (other.wait.total, other.wait.count, other.source)
    again = ask(sources, 50.0, Cluster(1), tmp_path / "cache")
    assert all(row.cached for row in again), "what came from elsewhere is kept here too"


def test_captures_behind_http_are_fetched_and_an_unreachable_one_is_a_row(tmp_path):
    pytest.importorskip("aiohttp", reason="fsspec takes it for http://")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(GOLDEN))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        fetched, missing = ask([f"{base}/healthy.zip", f"{base}/nothing.zip"], 50.0, Cluster(1), tmp_path / "cache")
        server.shutdown()
    assert isinstance(fetched, Row) and isinstance(missing, Failed)
    (unreachable,) = ask([f"{base}/healthy.zip"], 50.0, Cluster(1), tmp_path / "other")
    assert isinstance(unreachable, Failed) and "cannot be fetched" in unreachable.reason
    (local,) = ask([str(GOLDEN / "healthy.zip")], 50.0, Cluster(1), None)
    assert fetched.wait.total == local.wait.total
