"""Recordings of other tools in folders, zips and gzip files, and texts of perf script, identified by their content."""

import gzip
import struct
import tarfile
import zipfile

import pytest
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import open_capture
from poolscope.capture.file_kinds import HEAD

# The beginning of every .nettrace of format 4: the serializer's mark, and an object of type Trace.
NETTRACE = b"Nettrace\x14\0\0\0!FastSerialization.1\5\5\1\4\0\0\0\4\0\0\0\5\0\0\0Trace"
GCDUMP = b"\x14\0\0\0!FastSerialization.1\4\4\1\n\0\0\0\x08\0\0\0\n\0\0\0GCHeapDump"
COUNTERS = b"Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n"
CTF = b"\x57\x1d\xd1\x75" + bytes(60)
SWITCH = b"    app     7 [001]     6.338237123: sched:sched_switch: prev_comm=app prev_pid=7\n"
HEADER = (
    b"# ========\n# cmdline : perf record -e sched:sched_switch\n# event : name = sched:sched_switch, , id = { 1 }\n"
)
BIRTHS = 100 * b"         swapper     0/0     [000]     0.000000000: PERF_RECORD_COMM: process_api:1/1\n"


def said_of(path):
    with pytest.raises(UnreadableCapture) as error:
        open_capture(path)
    said = str(error.value)
    assert "\n" not in said and said.startswith(f"{path}: ") and error.value.exit_code == 3
    return said.removeprefix(f"{path}: ")


def text(tmp_path, content):
    (tmp_path / "sched.txt").write_bytes(content)
    return said_of(tmp_path / "sched.txt")


def test_a_nettrace_by_another_name_is_no_trace_of_net_core_2(tmp_path):
    for name in ("trace", "trace.netperf", "trace.bin"):
        (tmp_path / name).write_bytes(NETTRACE)
        assert said_of(tmp_path / name).startswith("the runtime's events, as dotnet-trace records them")
    (tmp_path / "trace.tar").write_bytes(b"")
    (tmp_path / "trace").write_bytes(NETTRACE + bytes(2000))
    with tarfile.open(tmp_path / "trace.tar", "w") as archive:
        archive.add(tmp_path / "trace", "trace")
    assert said_of(tmp_path / "trace.tar").startswith("an archive, but no zip: unpack it")


def test_a_text_of_perf_script_whose_first_switch_comes_late_has_switches(tmp_path):
    assert len(HEADER + BIRTHS) > HEAD
    assert "--scheduler sched.txt" in text(tmp_path, HEADER + BIRTHS + SWITCH)
    assert "--scheduler sched.txt" in text(tmp_path, HEADER + 300 * BIRTHS + SWITCH), "beyond a piece that is read"
    long = b"# ========\n" + 100 * (b"# " + 80 * b"x" + b"\n")
    assert "--scheduler sched.txt" in text(tmp_path, long + SWITCH), "a header that fills the first bytes"


def test_a_text_of_perf_script_without_switches_says_so_though_its_header_names_them(tmp_path):
    assert "without the event sched:sched_switch" in text(tmp_path, HEADER + BIRTHS)


def test_a_text_of_perf_script_without_cpus_says_so(tmp_path):
    said = text(tmp_path, SWITCH.replace(b"[001] ", b""))
    assert "without the CPU of each event" in said and "perf script -i perf.data --ns" in said


def perf_data(events):
    """Returns a perf.data with these events: its header, its records and the first two feature sections."""
    described = b"".join(event + b"\0" for event in events)
    records, head = bytes(64), 104
    sections = head + len(records)
    lists = struct.pack("<QQQQ", 0, 0, sections + 32, len(described))
    sizes = struct.pack("<QQ", head, 128) + struct.pack("<QQ", head, 0)
    bits = struct.pack("<QQQQ", 1 << 3 | 1 << 12, 0, 0, 0)
    file = b"PERFILE2" + sizes + struct.pack("<QQQQ", head, len(records), 0, 0) + bits
    return file + records + lists + described


def test_a_recording_of_perf_without_switches_says_so(tmp_path):
    for events, words in (([b"cpu-clock"], "without the event sched"), ([b"sched:sched_switch"], "--scheduler")):
        (tmp_path / "perf.data").write_bytes(perf_data(events))
        assert words in said_of(tmp_path / "perf.data")
    for damaged in (perf_data([b"a"])[:150], b"PERFILE2" + 100 * b"\xff"):
        (tmp_path / "perf.data").write_bytes(damaged)
        assert "the kernel's events alone" in said_of(tmp_path / "perf.data")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.gcdump", GCDUMP, "a.gcdump, packed with gzip: a heap snapshot of dotnet-gcdump"),
        ("c.csv", COUNTERS, "c.csv, packed with gzip: counters of dotnet-counters"),
        ("perf.data", b"PERFILE2", "perf.data, packed with gzip: unpack it; it is the kernel's events alone"),
        ("x", b"hello", "an archive, but no zip: unpack it"),
    ],
)
def test_a_gzip_file_says_what_is_in_it(name, content, words, tmp_path):
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
    assert said_of(tmp_path / f"{name}.gz").startswith(words)


@pytest.mark.parametrize("beside", [{}, {"sched.perf.data": b"PERFILE2"}, {"sched.txt": SWITCH, "notes.txt": b"x"}])
def test_what_report_takes_as_it_lies_there_is_named_as_such(beside, tmp_path):
    (tmp_path / "sent").mkdir()
    with zipfile.ZipFile(tmp_path / "sent.zip", "w") as archive:
        for name, content in {"trace.nettrace": NETTRACE, **beside}.items():
            archive.writestr(name, content)
            (tmp_path / "sent" / name).write_bytes(content)
    for path in (tmp_path / "sent", tmp_path / "sent.zip"):
        said = said_of(path)
        assert "trace.nettrace" in said and said.endswith(f"run: poolscope report {path}")
        assert all((name in said) == (name != "notes.txt") for name in beside)
    (tmp_path / "trace.gz").write_bytes(gzip.compress(NETTRACE))
    assert said_of(tmp_path / "trace.gz").endswith(f"not decoded yet; run: poolscope report {tmp_path / 'trace.gz'}")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"c.csv": COUNTERS, "notes.txt": b"x"}, "no capture, but it holds c.csv: counters of dotnet-counters"),
        ({"a.gcdump": GCDUMP}, "no capture, but it holds a.gcdump: a heap snapshot"),
        ({"logs/trace.nettrace": NETTRACE}, "no capture, but it holds logs/trace.nettrace: the runtime's events"),
        ({"session/ust/uid/0/64-bit/metadata": CTF}, "no capture, but it holds a trace of LTTng (CTF)"),
        (
            {"a/a.gcdump": GCDUMP, "b/c.csv": COUNTERS},
            "no capture, but it holds 2 recordings: name one of them instead",
        ),
        ({"notes.txt": b"hello"}, "no capture.json in it, so this is no capture"),
    ],
)
def test_a_folder_says_what_is_in_it(files, words, tmp_path):
    folder = tmp_path / "sent"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    assert said_of(folder).startswith(words)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"c.csv": COUNTERS, "notes.txt": b"x"}, "a zip of c.csv: counters of dotnet-counters"),
        ({"lttng/ust/metadata": CTF, "lttng/ust/channel": b"x"}, "a zip of a trace of LTTng (CTF)"),
        ({"a.gcdump": GCDUMP, "c.csv": COUNTERS}, "a zip of a.gcdump, c.csv: unpack it and name one of them"),
        ({"a.nettrace.gz": gzip.compress(NETTRACE)}, "a zip of a.nettrace.gz: an archive, but no zip: unpack it"),
        ({"a.txt": b"x", "b.txt": b"x"}, "a zip without a capture.json, so this is no capture"),
    ],
)
def test_a_zip_says_what_is_in_it(files, words, tmp_path):
    with zipfile.ZipFile(tmp_path / "sent.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert said_of(tmp_path / "sent.zip").startswith(words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("trace.nettrace", b"", "an empty file: nothing was recorded"),
        ("trace.nettrace", bytes(5000), "named as a trace, but no .nettrace"),
        ("trace.nettrace", b"<html>log in", "a web page"),
        (
            "notes.txt",
            b"hello",
            "neither a capture folder nor a zip of one, nor a recording that Poolscope knows; it reads",
        ),
        ("sent.zip", b"PK\3\4half", "neither a capture folder nor a zip of one: the zip is damaged"),
    ],
)
def test_what_is_no_recording_is_said_to_be_none(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    said = said_of(tmp_path / name)
    assert said.startswith(words)
    assert "poolscope report" not in said.removeprefix(
        "a web page, as `poolscope report` writes it"
    ), "that ends here again"
