"""Conditions of `watch` on the bundled service: the latency of requests, and threads without a core."""

import os
import subprocess
import sys
import time

import pytest
from watching.processes import Service, Watcher

pytestmark = pytest.mark.live

SPIN = "while True: pass"


def fired_terms(folder, when, disturb):
    """Returns the terms that fired during a fault; none fires before it."""
    service = Service(db_ms=200)
    watcher = None
    try:
        service.load("/async", 30, 5).communicate()  # compiles the service's code
        watcher = Watcher(service.pid, folder, "--kernel", "none", "--before", "1s", "--after", "1s", "--when", when)
        watcher.wait_until_watching()
        service.load("/async", 30, 3).communicate()
        quiet = [line["term"] for line in watcher.events("fired")]
        with disturb(service):
            deadline = time.monotonic() + 20
            while not watcher.events("fired") and time.monotonic() < deadline:
                time.sleep(0.2)
        fired = [line["term"] for line in watcher.events("fired")]
        assert watcher.close() == 0
        watcher = None
        return quiet, fired
    finally:
        if watcher is not None:
            watcher.kill()
        service.close()


class Disturbed:
    """Processes that run for a while."""

    def __init__(self, *running):
        self._running = running

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._running:
            process.kill()
            process.wait()


def test_requests_that_take_too_long_fire(tmp_path):
    # Queries take 200 ms. A request waits for a thread behind threads that wait for their own queries.
    quiet, fired = fired_terms(
        tmp_path / "out", "request>1s", lambda service: Disturbed(service.load("/sync-over-async", 100, 3))
    )
    assert quiet == []
    assert fired == ["request>1s"]


def test_threads_that_get_no_core_fire(tmp_path):
    def crowd(service):
        spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(8 * (os.cpu_count() or 1))]
        return Disturbed(service.load("/async", 300, 20), *spinning)

    # It may fire before, too, if other programs want this machine's cores.
    _, fired = fired_terms(tmp_path / "out", "ready>300ms", crowd)
    assert fired[:1] == ["ready>300ms"]
