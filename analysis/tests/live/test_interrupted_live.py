"""Ctrl-C at arbitrary times, and targets that end at once: a known exit code, and nothing left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import COLLECT, ROOT, WORKLOADS

pytestmark = [pytest.mark.built, pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")]

MOMENTS = sorted(random.Random(19).uniform(0.05, 2.5) for _ in range(4))
"""Seconds after the start: before .NET is up, while sessions open, while it records, while it decodes."""
ATTACHED = {0, 130, -signal.SIGINT}
"""A short capture; interrupted; or killed before the program could print a message."""


@contextmanager
def running(*arguments):
    with subprocess.Popen([str(WORKLOADS), "run", *arguments], stdout=subprocess.DEVNULL) as target:
        try:
            yield target
        finally:
            target.kill()


def sockets(pid):
    """Returns the number of open sockets of a process: each event session is one."""
    count = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            count += os.readlink(file).startswith("socket:")
        except FileNotFoundError:
            pass
    return count


def settles(read, value, within=10):
    until = time.monotonic() + within
    while (now := read()) != value and time.monotonic() < until:
        time.sleep(0.1)
    return now


def interrupted(command, after, **options):
    """Runs a command that gets SIGINT `after` seconds after its start; returns its exit code and stderr."""
    with subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options
    ) as process:
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        return process.wait(timeout=120), process.stderr.read()


def test_an_interrupted_recording_leaves_no_session_and_no_file(tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary)}
    # Items that sleep: a program that opens no socket of its own.
    with running("trickle-v2", "--count", "9000") as target:
        time.sleep(2)
        before = sockets(target.pid)
        for number, after in enumerate(MOMENTS):
            folder = tmp_path / f"capture-{number}"
            record = [COLLECT, "collect", "-p", target.pid, "--duration", "1", "-o", folder]
            code, errors = interrupted(record, after, env=env)
            assert code in ATTACHED, (after, errors)
            assert "   at " not in errors and "Unhandled" not in errors
            assert settles(lambda: sockets(target.pid), before) == before, after
            assert [] == list(temporary.iterdir()) or code == -signal.SIGINT, after
            if code == 0:
                assert json.loads((folder / "capture.json").read_text())["status"] == "complete"
                assert (folder / "tables" / "work_items.npz").is_file()
            assert not list(folder.glob("tables.*"))
        assert target.poll() is None


def test_an_interrupted_decode_leaves_the_tables_that_were_there(tmp_path):
    folder = tmp_path / "capture"
    with running("ticket", "--count", "400", "--work-ms", "1000") as target:
        time.sleep(1)
        record = [COLLECT, "collect", "-p", target.pid, "--duration", "1", "-o", folder]
        subprocess.run([str(part) for part in record], check=True, capture_output=True, timeout=120)
    manifest, tables = (folder / "capture.json").read_bytes(), sorted(path.name for path in folder.glob("tables/*"))
    for after in (0.1, 0.4):
        code, errors = interrupted([COLLECT, "decode", folder], after)
        assert code in {0, 130, -signal.SIGINT} and "   at " not in errors
        assert sorted(path.name for path in folder.glob("tables/*")) == tables
        assert not list(folder.glob("tables.*")) and json.loads((folder / "capture.json").read_bytes())
    assert set(json.loads(manifest)) == set(json.loads((folder / "capture.json").read_bytes()))


@pytest.mark.parametrize(
    "verb", [["report", "-o", "out.html"], ["export", "--to", "csv", "-o", "out"]], ids=lambda v: v[0]
)
def test_an_interrupted_answer_is_whole_or_not_there(verb, tmp_path):
    with zipfile.ZipFile(ROOT / "traces" / "golden" / "healthy.zip") as archive:
        archive.extractall(tmp_path / "capture")
    command = [sys.executable, "-m", "poolscope", verb[0], tmp_path / "capture", *verb[1:]]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "analysis")}
    for after in (0.3, 1.5):
        here = tmp_path / f"after-{after}"
        here.mkdir()
        code, errors = interrupted(command, after, env=env, cwd=here)
        left = sorted(path.name for path in here.iterdir())
        assert (code, left) in [(0, [verb[-1]]), (130, []), (-signal.SIGINT, [])], errors
        assert "Traceback" not in errors


RECORDING = None
"""Until its first stream is a second old."""


@pytest.mark.parametrize("lives, codes", [(0.0, {3}), (0.3, {0, 3}), (RECORDING, {0})])
def test_a_target_that_ends_at_once_is_one_line_and_one_that_was_recorded_a_capture(lives, codes, tmp_path):
    folder = tmp_path / "capture"
    with running("ticket", "--count", "400", "--work-ms", "1000") as target:
        time.sleep(1)
        record = [str(COLLECT), "collect", "-p", str(target.pid), "--duration", "20", "-o", str(folder)]
        with subprocess.Popen(record, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as collector:
            if lives is RECORDING:
                assert settles((folder / "runtime.nettrace").is_file, True)
            time.sleep(1 if lives is RECORDING else lives)
            target.kill()
            target.wait()
            output, errors = collector.communicate(timeout=60)
    assert output == "" and "   at " not in errors
    assert collector.returncode in codes, errors
    if collector.returncode == 0:
        assert json.loads((folder / "capture.json").read_text())["stop"] == "target-killed"
    else:
        assert len(errors.splitlines()) == 1, errors
        assert not folder.exists()
