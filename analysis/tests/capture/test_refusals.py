"""An input that is no capture gets one line, which names its kind and the command that takes it."""

import json
import shutil
import zipfile

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import open_capture
from poolscope.capture.schema import load_schema
from synthetic import MS, CaptureBuilder

ANALYSIS = '{\n "format": 1,\n "capture": {\n  "name": "x",\n  "start_utc": "2026-01-02T03:04:05Z"\n }}'
FILES = {
    "x.nettrace": (b"Nettrace\x14\0\0\0!FastSerialization.1", ["not decoded yet", "run: poolscope report x.nettrace"]),
    "renamed.trace": (
        b"Nettrace\x14\0\0\0!FastSerialization.1",
        ["not decoded yet", "run: poolscope report renamed.trace"],
    ),
    "x.etl": (b"\0\1\0\0", ["a trace of Windows", "run: poolscope report x.etl, or poolscope decode x.etl"]),
    "x.ETL.zip": (b"PK\3\4", ["a trace of Windows", "run: poolscope report x.ETL.zip"]),
    "two words.etlx": (b"\0\1\0\0", ["a trace of Windows", "run: poolscope report 'two words.etlx'"]),
    "sched.txt": (
        b"app 7 [001] 6.338237: sched:sched_switch: prev_comm=app",
        ["text of perf script", "--scheduler sched.txt"],
    ),
    "profile.txt": (
        b"# captured on: Fri\n\nswapper     0 64540.338237:          1 cpu-clock:pppH: \n\tffff i (k)\n",
        ["perf script without the event sched:sched_switch", "poolscope recipe perf"],
    ),
    "perf.data": (b"PERFILE2\x68\0\0\0", ["the kernel's events alone", "--scheduler"]),
    "cpu.speedscope.json": (b"{}", ["for speedscope", "name the capture"]),
    "cpu.json": (b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}', ["for speedscope"]),
    "x.pftrace": (b"\x0a\x10", ["for Perfetto", "name the capture"]),
    "x.perfView.xml.zip": (b"PK\3\4", ["for PerfView", "name the capture"]),
    "x.folded": (b"a;b 1", ["for flame graphs"]),
    "ticket.html": (b"<!DOCTYPE html>\n<html>", ["a web page", "open it in a browser"]),
    "analysis.json": (b"{}", ["an analysis.json", "name the capture"]),
    "shared.json": (ANALYSIS.encode(), ["an analysis.json"]),
    "other.json": (b'{"a": 1}', ["JSON, but no capture"]),
    "app.dll": (b"MZ\x90\0", ["a program", "poolscope record -- dotnet app.dll"]),
    "app": (b"\x7fELF\2\1\1", ["a program", "poolscope record -- app"]),
    "capture.tar.gz": (b"\x1f\x8b\x08", ["unpack it"]),
    "a.gcdump": (
        b"\x14\0\0\0!FastSerialization.1\4\4\1\n\0\0\0\x08\0\0\0\n\0\0\0GCHeapDump",
        ["dotnet-gcdump", "poolscope record"],
    ),
    "heap.bin": (b"\x14\0\0\0!FastSerialization.1\4\4\1\n\0\0\0\x08\0\0\0\n\0\0\0GCHeapDump", ["dotnet-gcdump"]),
    "core2.netperf": (b"\x14\0\0\0!FastSerialization.1\4\4\1\3\0\0\0\0\0\0\0\5\0\0\0Trace", [".NET Core 2"]),
    "c.csv": (
        b"Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n",
        ["dotnet-counters", "poolscope record"],
    ),
    "c.json": (b'{ "TargetProcess": "a", "StartTime": "2026", "Events": [{', ["dotnet-counters"]),
    "chrome.json": (b'{"traceEvents":[', ["Chromium", ".nettrace"]),
    "core.4711": (b"\x7fELF\2\1\1" + 9 * b"\0" + b"\4\0", ["a memory dump"]),
    "w.mdmp": (b"MDMP\x93\xa7", ["a memory dump of Windows", "dotnet-dump analyze w.mdmp"]),
    "inside.etl": (b"Nettrace\x14\0\0\0!FastSerialization.1", ["dotnet-trace", "run: poolscope report inside.etl"]),
    "stack.txt": (
        b"Thread (0x28D3):\n  [Native Frames]\n  System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object)\n",
        ["stacks of dotnet-stack", "poolscope look -p PID"],
    ),
    "counters16.csv": (
        "\ufeffTimestamp,Provider,Counter Name,Counter Type,Mean/Increment\n".encode("utf-16-le"),
        ["dotnet-counters"],
    ),
    "sched16.txt": (
        "\ufeffapp 7 [001] 6.338237: sched:sched_switch: prev_comm=app\n".encode("utf-16-le"),
        ["in UTF-16, as PowerShell writes it", "perf script -i perf.data --ns"],
    ),
    "empty": (b"", ["an empty file"]),
    "notes.txt": (b"hello", ["neither a capture folder nor a zip of one"]),
}


@pytest.fixture
def capture(tmp_path, monkeypatch):
    """Makes a decoded capture named `demo` in the current folder."""
    monkeypatch.chdir(tmp_path)
    builder = CaptureBuilder(tmp_path / "demo", length=1000 * MS)
    builder.item(0, 100 * MS, 200 * MS, 200, [("running", 100 * MS)])
    builder.write()
    return tmp_path / "demo"


def refused(path):
    with pytest.raises(UnreadableCapture) as error:
        open_capture(path)
    said = str(error.value)
    assert "\n" not in said and said.startswith(f"{path}: ") and error.value.exit_code == 3
    return said


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_capture(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content, expected = FILES[name]
    (tmp_path / name).write_bytes(content)
    said = refused(name)
    for words in expected:
        assert words in said


def test_a_file_that_is_no_capture_is_one_line_on_stderr(tmp_path, capsys):
    (tmp_path / "x.pftrace").write_bytes(b"\x0a\x10")
    assert run(["report", str(tmp_path / "x.pftrace")]) == 3
    out, error = capsys.readouterr()
    assert not out and error.startswith("poolscope: ") and error.count("\n") == 1


@pytest.mark.parametrize("name", ["demo/runtime.nettrace", "demo/capture.json", "demo/tables/waits.npz", "demo/new"])
def test_a_file_of_a_capture_names_the_capture(name, capture):
    if not (capture.parent / name).exists():
        (capture.parent / name).write_bytes(b"Nettrace")
    assert refused(name).endswith("a file of the capture demo; name that folder instead")


def test_a_folder_of_a_capture_names_the_capture(capture):
    assert refused("demo/tables").endswith("a folder of the capture demo; name that one instead")


def test_a_zip_of_a_capture_inside_another_is_still_a_capture(capture):
    with zipfile.ZipFile(capture.parent / "whole.zip", "w") as archive:
        for file in capture.rglob("*"):
            archive.write(file, f"demo/{file.relative_to(capture)}")
    shutil.move(capture.parent / "whole.zip", capture / "whole.zip")
    assert open_capture("demo/whole.zip").manifest["target"]["name"]


def test_an_empty_folder(tmp_path):
    assert "an empty folder" in refused(tmp_path)


def test_a_folder_of_other_things(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    assert refused(tmp_path).endswith("no capture.json in it, so this is no capture")


@pytest.mark.parametrize("begins", [b"/* CTF 1.8 */", b"\x57\x1d\xd1\x75\0"])
def test_a_folder_of_lttng(begins, tmp_path):
    (tmp_path / "metadata").write_bytes(begins)
    assert "LTTng" in refused(tmp_path)


def test_an_archive_of_perfcollect(tmp_path):
    with zipfile.ZipFile(tmp_path / "slow.trace.zip", "w") as archive:
        archive.writestr("slow.trace/perf.data.txt", "swapper 0 [000] 1.0: cpu-clock:")
    assert "perfcollect" in refused(tmp_path / "slow.trace.zip")


def test_a_folder_of_perfcollect(tmp_path):
    (tmp_path / "slow.trace" / "lttngTrace").mkdir(parents=True)
    assert "perfcollect" in refused(tmp_path / "slow.trace")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("c.csv", "a zip of c.csv: counters of dotnet-counters"),
        ("a.gcdump", "a zip of a.gcdump: a heap snapshot"),
        ("core2.netperf", "a zip of core2.netperf: a trace of .NET Core 2"),
        ("core.4711", "a zip of core.4711: unpack it; it is a memory dump"),
        ("notes.txt", "a zip without a capture.json"),
    ],
)
def test_a_zip_of_one_file_says_what_that_is(name, words, tmp_path):
    with zipfile.ZipFile(tmp_path / "sent.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/" + name, FILES[name][0])
        archive.writestr("__MACOSX/logs/._" + name, b"x")
    assert words in refused(tmp_path / "sent.zip")


def test_a_folder_of_streams_alone(tmp_path):
    (tmp_path / "runtime.nettrace").write_bytes(b"Nettrace")
    assert "it has runtime.nettrace" in refused(tmp_path)


def test_a_folder_of_exported_tables(tmp_path):
    (tmp_path / "work_items.csv").write_text("id")
    assert "poolscope export --to csv" in refused(tmp_path)


def test_a_folder_of_one_capture(capture):
    said = refused(capture.parent)
    assert "it holds one" in said and said.endswith(str(capture))


def test_a_folder_of_many_captures_names_the_first_ones(capture):
    with zipfile.ZipFile(capture.parent / "a.zip", "w") as archive:
        archive.writestr("a/capture.json", "{}")
    (capture.parent / "no-capture.zip").write_bytes(b"PK\3\4 not really")
    for number in range(2, 6):
        shutil.copytree(capture, capture.parent / f"demo-{number}")
    said = refused(capture.parent)
    assert "it holds 6: name one of them" in said and said.endswith("demo-3 and 2 more")
    assert said.index("a.zip") < said.index("demo,") < said.index("demo-2,")
    assert "no-capture.zip" not in said


def test_a_capture_that_is_not_decoded(capture):
    shutil.rmtree(capture / "tables")
    assert refused("demo").endswith("not decoded yet; run: poolscope decode demo")


def test_a_zip_that_is_not_decoded_must_be_unpacked_first(tmp_path, capture):
    with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
        archive.write(capture / "capture.json", "raw/capture.json")
    assert refused("raw.zip").endswith("unpack it, and run: poolscope decode FOLDER")


def test_a_zip_of_other_things(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "a zip without a capture.json" in refused(tmp_path / "x.zip")


@pytest.mark.parametrize(
    "wrong, near",
    [
        ("dmeo", "demo"),
        ("dem", "demo"),
        ("DEMO.zip", None),
        ("nothing-like-it", None),
        ("demo/tabels", "demo/tables"),
        ("dmeo/tabels", "demo/tables"),
        ("nowhere/else/at/all", None),
    ],
)
def test_a_path_that_is_not_there_names_the_nearest(wrong, near, capture):
    said = refused(wrong)
    assert said.endswith(f"no such file or folder; did you mean {near}?" if near else "no such file or folder")


@pytest.mark.parametrize("by, expected", [(1, "made by a newer Poolscope"), (-1, "made by an older Poolscope")])
def test_a_capture_of_another_format(by, expected, capture):
    known = load_schema().format
    manifest = json.loads((capture / "capture.json").read_text())
    (capture / "capture.json").write_text(json.dumps({**manifest, "format": known + by}))
    said = refused("demo")
    assert expected in said and f"capture format {known + by}," in said and f"reads format {known}:" in said


def test_a_name_that_no_file_can_have():
    assert "cannot be read" in refused("x" * 5000)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "x.zip").write_bytes(b"PK\3\4")
    monkeypatch.setattr("poolscope.capture.refusals.kind_of", denied)
    assert refused(tmp_path / "x.zip").endswith("cannot be read (Permission denied)")
