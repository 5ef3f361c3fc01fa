"""A trace and the perf file recorded with it, as customers send them: in one zip or folder, under any names."""

import json
import os
import shutil
import stat
import sys
import zipfile
from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.recording import foreign
from poolscope.recording.foreign import is_trace
from synthetic import MS, CaptureBuilder

NETTRACE = b"Nettrace\x14\0\0\0!FastSerialization.1"
PERF = b"PERFILE2" + bytes(100)
SWITCH = b"    app     7 [001]     6.338237123: sched:sched_switch: prev_comm=app prev_pid=7\n"
SAMPLES = b"    app     7 [001]     6.338237123: cpu-clock:ppp: 5555 main (app)\n"
COLLECTOR = """#!{python}
import json, shutil, sys
told = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(told) + "\\n")
if "--scheduler" in told and {refuses}:
    print("poolscope-collect: it does not go with the trace", file=sys.stderr)
    sys.exit(3)
shutil.copytree({capture!r}, told[told.index("-o") + 1], dirs_exist_ok=True)
"""


@pytest.fixture
def collector(tmp_path, monkeypatch):
    """collector(refuses) returns the arguments passed to the collector, call by call. If `refuses`, it refuses any perf
    file."""
    monkeypatch.chdir(tmp_path)

    def stand_in(refuses=False):
        builder = CaptureBuilder(tmp_path / "prepared", length=1000 * MS)
        builder.item(0, MS, 9 * MS, 200, [("running", 8 * MS)])
        builder.write()
        program, log = tmp_path / "poolscope-collect", tmp_path / "told.jsonl"
        capture = str(tmp_path / "prepared")
        program.write_text(COLLECTOR.format(python=sys.executable, log=str(log), capture=capture, refuses=refuses))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("POOLSCOPE_COLLECT", str(program))
        return lambda: [json.loads(line) for line in log.read_text().splitlines()]

    return stand_in


def sent(kind, files):
    if kind == "zip":
        with zipfile.ZipFile("sent.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return "sent.zip"
    for name, content in files.items():
        (Path("sent") / name).parent.mkdir(parents=True, exist_ok=True)
        (Path("sent") / name).write_bytes(content)
    return "sent"


def scheduler(told):
    return Path(told[told.index("--scheduler") + 1]).name if "--scheduler" in told else None


@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize(
    ("beside", "read"),
    [
        ({"sched.perf.data": PERF}, "sched.perf.data"),
        ({"perf.data": PERF, "notes.txt": b"x"}, "perf.data"),
        ({"sched.txt": SWITCH}, "sched.txt"),
        ({"cpu.txt": SAMPLES}, None),
        ({"a.perf.data": PERF, "b.perf.data": PERF}, None),
        ({"notes.txt": b"x"}, None),
    ],
)
def test_what_perf_recorded_beside_a_trace_is_read_with_it(kind, beside, read, collector):
    told = collector()
    assert run(["report", sent(kind, {"trace.nettrace": NETTRACE, **beside})]) == 0
    assert [scheduler(call) for call in told()] == [read]


def test_a_file_of_perf_beside_a_trace_that_is_named_itself_is_left_alone_and_said(collector, capsys):
    told = collector()
    sent("folder", {"trace.nettrace": NETTRACE, "sched.perf.data": PERF})
    assert run(["report", "sent/trace.nettrace"]) == 0
    assert scheduler(told()[0]) is None
    said = "to read both, run: poolscope report sent/trace.nettrace --scheduler sent/sched.perf.data\n"
    assert capsys.readouterr().err == f"sched.perf.data lies beside it and is not read; {said}"
    assert run(["report", "sent/trace.nettrace", "--scheduler", "sent/sched.perf.data"]) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_a_trace_of_windows_has_the_kernels_events_itself(kind, collector):
    told = collector()
    assert run(["report", sent(kind, {"tp.etl": b"\0\2\0\0", "sched.perf.data": PERF})]) == 0
    assert [scheduler(call) for call in told()] == [None]


def test_a_large_folder_is_not_read_file_by_file(collector, monkeypatch):
    told, opened = collector(), []
    sent("folder", {f"{number:04}.log": b"x" for number in range(400)} | {"zz.nettrace": NETTRACE, "zz.log": NETTRACE})
    really = foreign.is_trace
    monkeypatch.setattr(foreign, "is_trace", lambda path: opened.append(path) or really(path))
    assert run(["report", "sent"]) == 0
    assert Path(told()[0][1]).name == "zz.nettrace" and len(opened) < 300


def test_the_named_file_of_perf_goes_before_the_one_that_lies_beside(collector):
    told = collector()
    Path("mine.perf.data").write_bytes(PERF)
    packed = sent("zip", {"trace.nettrace": NETTRACE, "sched.perf.data": PERF})
    assert run(["report", packed, "--scheduler", "mine.perf.data"]) == 0
    assert scheduler(told()[0]) == "mine.perf.data"


def test_without_a_file_of_perf_that_does_not_go_with_it_the_trace_is_still_read(collector, capsys):
    told = collector(refuses=True)
    packed = sent("zip", {"trace.nettrace": NETTRACE, "sched.perf.data": PERF})
    assert run(["report", packed]) == 0
    assert [scheduler(call) for call in told()] == ["sched.perf.data", None]
    assert "sent.zip: read without sched.perf.data" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize("name", ["trace", "trace.bin", "logs.old"])
def test_a_trace_in_it_is_known_by_its_content(kind, name, collector):
    told = collector()
    assert run(["report", sent(kind, {name: NETTRACE, "notes.txt": b"hello"})]) == 0
    assert Path(told()[0][1]).name == name


def test_what_is_named_nettrace_and_is_none_is_no_trace(tmp_path):
    for content, expected in ((b"", False), (b"<html>", False), (bytes(9), False), (b"Nettr", True), (NETTRACE, True)):
        (tmp_path / "x.nettrace").write_bytes(content)
        assert is_trace(tmp_path / "x.nettrace") is expected
    (tmp_path / "x.etl").write_bytes(b"")
    assert not is_trace(tmp_path / "x.etl")


def test_streams_that_a_capture_left_behind_are_still_none(collector, capsys):
    collector()
    assert run(["report", sent("folder", {"runtime.nettrace": NETTRACE, "sched.perf.data": PERF})]) == 3
    assert "part of a capture was left behind" in capsys.readouterr().err
    shutil.rmtree("sent")
    assert os.listdir() and run(["report", sent("folder", {"sched.perf.data": PERF})]) == 3
