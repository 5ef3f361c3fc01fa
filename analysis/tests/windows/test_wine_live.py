"""The Windows build under Wine records by EventPipe without administrator rights, and decodes; the rest runs on Linux.

A pass shows that the Windows code paths work, but says nothing about Windows itself (docs/windows.md).
"""

import json
import os
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import wine
from poolscope.__main__ import run
from poolscope.capture import open_capture
from poolscope.measures.truth import verify
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

ROOT = Path(__file__).resolve().parents[3]
COLLECT = ROOT / "artifacts" / "bin" / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = "poolscope-workloads"
WITHOUT = "without etw (sched): Windows opened no ETW session"
NO_VERDICT = 4
"""Exit code of `report` for the verdict cannot-tell (docs/exit-codes.md)."""
STREAMS = {"runtime.nettrace", "waits.nettrace", "counters.csv", "snapshots", "symbols.nettrace"}


@pytest.fixture(scope="module")
def windows():
    """Runs `poolscope-collect.exe`: windows("collect", ...) returns its result."""
    if why := wine.lacking() or wine.set_up():
        pytest.skip(why)
    yield collect
    wine.end()


def collect(*arguments):
    """Repeats the run, three times at most, if .NET crashed in Wine, which is no fault of the program."""
    for _ in range(3):
        done = wine.run("poolscope-collect", *arguments)
        if not wine.broke_off(done):
            break
        if "-o" in arguments:
            shutil.rmtree(arguments[arguments.index("-o") + 1], ignore_errors=True)
    return done


@pytest.fixture(scope="module")
def recorded(windows, tmp_path_factory):
    """Records a workload from start to end, and the collector's output: all that a user without rights gets."""
    folder = tmp_path_factory.mktemp("wine") / "capture"
    done = windows("collect", "--kernel", "none", "-o", folder, "--", wine.program(WORKLOADS), "run", "exact-counts")
    assert done.returncode == 0, done.stderr + done.stdout
    return folder, done.stderr


def same_tables(left, right):
    """Returns the names of the tables of two captures, which are equal in every column."""
    tables = {file.name for file in (left / "tables").iterdir()}
    assert tables == {file.name for file in (right / "tables").iterdir()}
    for table in tables:
        with np.load(left / "tables" / table) as ours, np.load(right / "tables" / table) as theirs:
            assert ours.files == theirs.files, table
            for column in ours.files:
                np.testing.assert_array_equal(ours[column], theirs[column], f"{table}: {column}")
    return tables


def decoded_here(capture, folder):
    """Returns a copy of a capture, decoded by the Linux build."""
    shutil.copytree(capture, folder, ignore=shutil.ignore_patterns("tables"))
    subprocess.run([COLLECT, "decode", folder], check=True, capture_output=True)
    return folder


def test_a_program_is_recorded_without_the_kernel(recorded):
    manifest = json.loads((recorded[0] / "capture.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["stop"] == "target-exit"
    assert manifest["host"]["os"].startswith("Microsoft Windows 10")
    assert manifest["clock"]["id"] == "QueryPerformanceCounter"
    assert {stream["file"] for stream in manifest["streams"]} >= STREAMS - {"symbols.nettrace"}
    assert not [stream for stream in manifest["streams"] if stream["file"].startswith(("sched", "kernel"))]
    target = manifest["target"]
    assert (target["name"], target["launched"], target["exit_code"]) == ("poolscope-workloads", True, 0)
    assert target["command"][-2:] == ["run", "exact-counts"]
    assert re.fullmatch(r"\.NET 10\.\d+\.\d+.*", target["runtime"])
    assert 0 <= manifest["phases"][-1]["start_ns"] - target["process_start_ns"] < 60e9


def test_every_item_of_the_program_is_in_the_tables(recorded):
    capture = open_capture(recorded[0])
    verified = verify(capture)
    assert verified.items == verified.joined > 1000
    assert verified.start_latency_error_us["p99"] < 5000
    readings = capture.table("pool_counters")
    assert len(readings) > 1 and readings["completed"].sum() > 0


def test_both_systems_make_the_same_tables_of_one_capture(recorded, tmp_path):
    assert len(same_tables(recorded[0], decoded_here(recorded[0], tmp_path / "linux"))) > 5


@pytest.mark.parametrize("name", ["injection-delay", "core-contention"])
def test_a_capture_of_linux_is_decoded_alike(windows, name, tmp_path):
    with zipfile.ZipFile(ROOT / "traces" / "golden" / f"{name}.zip") as archive:
        archive.extractall(tmp_path / "golden")
    ours = decoded_here(tmp_path / "golden", tmp_path / "linux")
    theirs = tmp_path / "windows"
    shutil.copytree(tmp_path / "golden", theirs, ignore=shutil.ignore_patterns("tables"))
    done = windows("decode", theirs)
    assert done.returncode == 0, done.stderr
    same_tables(ours, theirs)


def test_the_capture_is_explained_on_linux(windows, tmp_path, capsys):
    """The capture starves. Nothing separates blocked from computing, so the page has no verdict and says what to do."""
    folder = tmp_path / "ticket"
    done = windows("collect", "--duration", "12", "-o", folder, "--", wine.program(WORKLOADS), "run", "ticket")
    assert done.returncode == 0, done.stderr + done.stdout
    assert WITHOUT in done.stderr
    (refused,) = [r for r in json.loads((folder / "capture.json").read_text())["refused"] if r["stream"] == "sched"]
    assert refused["wanted"] == "etw" and refused["how"]

    analysis = analyse(open_capture(folder)).to_json()
    assert analysis["verdict"]["id"] == "cannot-tell"
    assert analysis["coverage"]["tier"] == "none"
    assert analysis["incidents"]
    page = tmp_path / "page.html"
    assert run(["report", str(folder), "-o", str(page)]) == NO_VERDICT, capsys.readouterr().err
    assert "started as administrator" in page.read_text("utf-8")


def test_a_running_program_is_recorded_and_left_alone(windows, tmp_path):
    folder = tmp_path / "capture"
    program = subprocess.Popen(
        wine.command(WORKLOADS, "run", "trickle-v1", "--count", "4000"),
        env={**os.environ, **wine.environment()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(20):
            time.sleep(1)
            done = windows("collect", "--kernel", "none", "--duration", "3", "-n", WORKLOADS, "-o", folder)
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        assert program.poll() is None
    finally:
        program.kill()
        program.wait()
    manifest = json.loads((folder / "capture.json").read_text())
    assert (manifest["stop"], manifest["target"]["launched"]) == ("duration", False)
    assert {stream["file"] for stream in manifest["streams"]} >= STREAMS
    assert len(open_capture(folder).table("threads")) > 2


def test_what_is_no_dotnet_program_is_refused_with_the_code_for_it(windows, tmp_path):
    done = windows("collect", "--kernel", "none", "-o", tmp_path / "none", "--", "cmd.exe", "/c", "exit", "3")
    assert (done.returncode, (tmp_path / "none").exists()) == (125, False)
    assert "ended (exit code 3) without starting a .NET process" in done.stderr
