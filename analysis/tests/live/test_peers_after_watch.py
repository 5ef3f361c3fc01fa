"""`watch` leaves no session in the process, however it ends: its threads are gone, and dotnet-trace can record
there."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import COLLECT, published
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = pytest.mark.built

PATIENCE_S = 20
WATCHERS = 3
"""One after the other, so that leftovers would add up."""


@pytest.fixture
def program():
    running = subprocess.Popen([published("net10.0"), "sleep", "120"], stdout=subprocess.DEVNULL)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def threads_of_sessions(pid):
    """Returns the number of threads with this name: the runtime has one for each streaming session, and one that waits
    for commands."""
    names = (task.read_text().strip() for task in Path(f"/proc/{pid}/task").glob("*/comm"))
    return sum(name.startswith(".NET EventPipe") for name in names)


def until(holds):
    end = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def watched(pid, folder, ending):
    """Watches the process until figures of it appear, then ends the watcher. Returns the number of session threads
    meanwhile."""
    watch = [COLLECT, "watch", "-p", pid, "-o", folder, "--json", "--before", "2s", "--no-decode"]
    watcher = subprocess.Popen([str(word) for word in watch], stdout=subprocess.PIPE, text=True)
    try:
        begun = (json.loads(line).get("begun_per_s") for line in watcher.stdout)
        assert any(count for count in begun)
        had = threads_of_sessions(pid)
        watcher.send_signal(ending)
        watcher.communicate(timeout=PATIENCE_S)
    finally:
        watcher.kill()
        watcher.wait()
    return had


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_dotnet_trace_records_where_watch_did(program, dotnet_trace, tmp_path, ending):
    time.sleep(1)
    before = threads_of_sessions(program.pid)
    for number in range(WATCHERS):
        assert watched(program.pid, tmp_path / f"watch{number}", ending) > before
        assert until(lambda: threads_of_sessions(program.pid) == before), "a session was left"

    recipe = [COLLECT, "recipe", "dotnet-trace", "-p", program.pid, "--duration", 3]
    text = subprocess.run([str(word) for word in recipe], capture_output=True, text=True, check=True).stdout
    line = next(line for line in text.splitlines() if line.startswith("dotnet-trace"))
    path = f"{dotnet_trace}{os.pathsep}{os.environ['PATH']}"
    run = dict(capture_output=True, text=True, timeout=120, cwd=tmp_path)
    done = subprocess.run(line.split(), env={**os.environ, "PATH": path}, **run)
    assert done.returncode == 0, done.stderr + done.stdout
    done = subprocess.run([str(COLLECT), "decode", "trace.nettrace", "-o", "capture"], **run)
    assert done.returncode == 0, done.stderr
    coverage = analyse(open_capture(tmp_path / "capture")).to_json()["coverage"]
    assert coverage["items"] > 20 and coverage["lost"] == 0
