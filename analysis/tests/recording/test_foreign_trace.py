"""`poolscope report FILE.nettrace` with a script in place of the collector."""

import gzip
import json
import os
import shutil
import stat
import sys
import zipfile
from pathlib import Path

import pytest
from foreign_captures import made
from poolscope.__main__ import run
from poolscope.base.errors import UnreadableCapture
from poolscope.recording import made_folder
from poolscope.recording.foreign import is_trace, trace_in

COLLECTOR = """#!{python}
import json, os, shutil, sys
assert os.environ["POOLSCOPE_CALLER"] == "report"
told = sys.argv[1:]
json.dump(told, open({told!r}, "w"))
if {code}:
    sys.exit({code})
shutil.copytree({capture!r}, told[told.index("-o") + 1])
"""


@pytest.fixture
def collector(tmp_path, monkeypatch):
    """collector(code) returns a function that reads the arguments passed to the collector, which makes a capture or
    exits with the code."""

    def stand_in(code=0):
        told, program = tmp_path / "told.json", tmp_path / "poolscope-collect"
        capture = made(tmp_path / "prepared", items=10)
        program.write_text(
            COLLECTOR.format(python=sys.executable, told=str(told), capture=str(capture), code=code), "utf-8"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("POOLSCOPE_COLLECT", str(program))
        return lambda: json.loads(told.read_text())

    return stand_in


@pytest.fixture
def trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.nettrace").write_bytes(b"Nettrace\x14\0\0\0!FastSerialization.1")
    return tmp_path / "trace.nettrace"


def test_a_report_of_a_trace_is_one_of_the_capture_that_is_made_beside_it(trace, collector, tmp_path, capsys):
    told = collector()
    assert run(["report", "trace.nettrace", "--scheduler", "perf.data", "--json"]) == 0
    assert told() == ["decode", "trace.nettrace", "-o", "trace.poolscope", "--scheduler", "perf.data"]
    assert json.loads(capsys.readouterr().out)["report"] == "trace.html"
    page = (tmp_path / "trace.html").read_text("utf-8")
    assert "trace.nettrace (dotnet-trace, or another user of EventPipe), sched.perf.data (perf record)" in page


@pytest.mark.parametrize("code", [2, 3, 5, 130])
def test_what_the_collector_refuses_it_has_said(code, trace, collector, tmp_path, capsys):
    collector(code)
    assert run(["report", "trace.nettrace"]) == code
    assert capsys.readouterr() == ("", "")
    assert not (tmp_path / "trace.html").exists() and not (tmp_path / "trace.poolscope").exists()


def test_a_scheduler_file_needs_a_trace(tmp_path, capsys):
    capture = made(tmp_path / "capture", items=1)
    assert run(["report", str(capture), "--scheduler", "perf.data"]) == 2
    assert "--scheduler goes with a .nettrace" in capsys.readouterr().err


def test_a_page_is_not_written_into_the_capture_that_is_made(trace, collector):
    told = collector()
    assert run(["report", "trace.nettrace", "-o", "trace.poolscope/page.html"]) == 2
    with pytest.raises(FileNotFoundError):
        told()


def test_what_a_trace_is(trace, tmp_path):
    other = tmp_path / "recording"
    shutil.copy(trace, other)
    assert is_trace(trace) and is_trace(other)
    assert made_folder(trace).name == "trace.poolscope" and made_folder(other).name == "recording.poolscope"
    capture = made(tmp_path / "capture", items=1)
    shutil.copy(trace, capture / "runtime.nettrace")
    assert (
        not is_trace(capture)
        and not is_trace(capture / "runtime.nettrace")
        and not is_trace(tmp_path / "none.nettrace")
    )


@pytest.mark.parametrize("name", ["tp.etl", "tp.etl.zip", "TP.ETL.ZIP", "tp.etlx"])
def test_a_report_of_a_trace_of_windows_is_made_in_one_step(name, collector, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b"\0\2\0\0")
    told = collector()
    assert run(["report", name, "--json"]) == 0
    stem = name[:2]
    assert told() == ["decode", name, "-o", f"{stem}.poolscope"]
    assert json.loads(capsys.readouterr().out)["report"] == f"{stem}.html"


def test_files_of_one_recording_of_windows_are_one_trace(tmp_path):
    for name in ("tp.etl", "tp.kernel.etl", "tp.clrRundown.etl", "notes.txt"):
        (tmp_path / name).write_bytes(b"\0\2\0\0")
    with trace_in(tmp_path) as found:
        assert found == tmp_path / "tp.etl"
    (tmp_path / "tp2.etl").write_bytes(b"\0\2\0\0")
    with pytest.raises(UnreadableCapture, match=r"holds 2 traces; name one of them instead: tp.etl, tp2.etl"), trace_in(
        tmp_path
    ):
        pass


def zipped(trace, *names):
    with zipfile.ZipFile("sent.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(trace, name)
    return "sent.zip"


def gzipped(trace):
    with gzip.open("trace.nettrace.gz", "wb") as file:
        file.write(trace.read_bytes())
    return "trace.nettrace.gz"


def in_folder(trace):
    Path("sent").mkdir()
    shutil.copy(trace, "sent")
    return "sent"


@pytest.mark.parametrize(
    ("packed", "folder"),
    [
        (lambda trace: zipped(trace, "trace.nettrace"), "sent.poolscope"),
        (lambda trace: zipped(trace, "logs/", "logs/TRACE.NETTRACE", "__MACOSX/._trace.nettrace"), "sent.poolscope"),
        (gzipped, "trace.poolscope"),
        (in_folder, "sent/trace.poolscope"),
    ],
)
def test_a_trace_that_a_customer_packed_is_opened(packed, folder, trace, collector, capsys):
    told = collector()
    assert run(["report", packed(trace), "--json"]) == 0
    verb, given, option, made = told()
    assert (verb, Path(given).name.lower(), option, made) == ("decode", "trace.nettrace", "-o", folder)
    assert Path(given).exists() == (packed is in_folder), "what was unpacked is removed"
    assert json.loads(capsys.readouterr().out)["verdict"]["id"]


def test_streams_that_a_capture_left_behind_are_no_trace(trace, capsys):
    Path("left").mkdir()
    shutil.copy(trace, "left/runtime.nettrace")
    assert run(["report", "left"]) == 3
    assert "part of a capture was left behind" in capsys.readouterr().err


def test_of_several_packed_traces_one_must_be_named(trace, capsys):
    assert run(["report", zipped(trace, "a.nettrace", "b/b.nettrace")]) == 3
    assert (
        capsys.readouterr().err
        == "poolscope: sent.zip: holds 2 traces; name one of them instead: a.nettrace, b.nettrace\n"
    )


def test_a_packed_trace_that_inflates_to_anything_is_refused(trace):
    with open("trace.nettrace", "ab") as file:
        file.write(bytes(64 << 20))
    for packed in (zipped(trace, "trace.nettrace"), gzipped(trace)):
        with pytest.raises(UnreadableCapture, match="100 times its size"), trace_in(Path(packed)):
            pass


def test_a_file_that_is_no_report_is_not_replaced_by_one(trace, collector, tmp_path, capsys):
    collector()
    page = tmp_path / "trace.html"
    page.write_text("<html>my notes</html>")
    assert run(["report", "trace.nettrace"]) == 2
    assert "trace.html exists and is not a Poolscope report" in capsys.readouterr().err
    assert page.read_text() == "<html>my notes</html>"
    shutil.rmtree(tmp_path / "trace.poolscope")
    assert run(["report", "trace.nettrace", "-o", "trace.html"]) == 0, "it was named"
    shutil.rmtree(tmp_path / "trace.poolscope")
    assert run(["report", "trace.nettrace"]) == 0, "a report is replaced"


def unwritable(monkeypatch, *folders):
    """Makes these folders seem unwritable, even to root."""
    really = os.access
    closed = {Path(folder).resolve() for folder in folders}
    monkeypatch.setattr(
        os, "access", lambda path, mode: really(path, mode) and not (mode & os.W_OK and Path(path).resolve() in closed)
    )


def test_beside_a_trace_that_nothing_can_be_written_to_the_capture_goes_beside_the_page(trace, collector, monkeypatch):
    told = collector()
    Path("locked").mkdir()
    shutil.move(trace, "locked")
    unwritable(monkeypatch, "locked")
    assert run(["report", "locked/trace.nettrace"]) == 0
    assert told()[3] == "trace.poolscope"


def test_where_nothing_can_be_written_it_says_what_to_do(trace, collector, monkeypatch, capsys):
    collector()
    unwritable(monkeypatch, ".")
    assert run(["report", "trace.nettrace"]) == 2
    assert "run this in a folder that is, or: poolscope decode trace.nettrace -o FOLDER" in capsys.readouterr().err


def test_a_trace_that_cannot_be_read_is_the_collectors_to_refuse(trace, collector, monkeypatch):
    collector(3)
    really = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != "trace.nettrace" and really(path, mode))
    assert run(["report", "trace.nettrace"]) == 3
