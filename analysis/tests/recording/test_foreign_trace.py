"""`poolscope report FILE.nettrace` with a collector that stands in for the real one, and what a capture of other tools' files says."""

import gzip
import json
import os
import shutil
import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.recording import made_folder
from poolscope.recording.foreign import is_trace, trace_in
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.sections.captured import captured_section
from poolscope.report.sections.incidents import summary
from synthetic import MS, CaptureBuilder

MADE_FROM = [
    {"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"},
    {"file": "sched.perf.data", "from": "sched.perf.data", "format": "perf.data"},
]
HOW = "Record again with: dotnet-trace collect -p PID"
NO_ITEMS = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": HOW}
COLLECTOR = """#!{python}
import json, os, shutil, sys
assert os.environ["POOLSCOPE_CALLER"] == "report"
told = sys.argv[1:]
json.dump(told, open({told!r}, "w"))
if {code}:
    sys.exit({code})
shutil.copytree({capture!r}, told[told.index("-o") + 1])
"""


def captured_parts(*given):
    """The parts of it, which are of any type."""
    return captured_section(*given)


def made(folder, *, items, refused=()):
    builder = CaptureBuilder(folder, length=1000 * MS)
    for number in range(items):
        builder.item(number * 50 * MS, number * 50 * MS + MS, (number * 50 + 9) * MS, 200, [("running", 8 * MS)])
    builder.write()
    manifest = json.loads((folder / "capture.json").read_text())
    manifest |= {"made_from": MADE_FROM, "refused": list(refused)}
    (folder / "capture.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def collector(tmp_path, monkeypatch):
    """collector(code) -> reads what the collector was reported; it makes a capture, or ends with the code."""

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


@pytest.mark.parametrize("wanted", ["a known pool", "stable ids"])
def test_an_old_runtime_gets_no_verdict_though_its_items_are_read(wanted, tmp_path):
    gap = {"stream": "runtime.nettrace", "wanted": wanted, "why": "this runtime is old", "how": "Record on a newer one"}
    capture = made(tmp_path / "capture", items=10, refused=[gap])
    analysis = analyse(open_capture(capture)).to_json()
    assert (analysis["verdict"]["id"], analysis["items"]["count"]) == ("cannot-tell", 10)
    assert "This runtime is old." in analysis["verdict"]["reasons"]
    assert any("Record on a newer one." in finding["advice"] for finding in analysis["findings"])
    # Without the gap the same items are healthy.
    manifest = json.loads((capture / "capture.json").read_text())
    (capture / "capture.json").write_text(json.dumps(manifest | {"refused": []}))
    assert analyse(open_capture(capture)).to_json()["verdict"]["id"] == "healthy"


def test_without_work_items_the_verdict_says_what_records_them(tmp_path):
    capture = made(tmp_path / "capture", items=0, refused=[NO_ITEMS])
    analysis = analyse(open_capture(capture)).to_json()
    assert analysis["verdict"]["id"] == "cannot-tell"
    assert any("not recorded" in reason for reason in analysis["verdict"]["reasons"])
    assert any(f"{HOW}." in finding["advice"] for finding in analysis["findings"])
    # The same capture by Poolscope itself had nothing queued.
    manifest = json.loads((capture / "capture.json").read_text())
    (capture / "capture.json").write_text(json.dumps(manifest | {"made_from": None}))
    assert analyse(open_capture(capture)).to_json()["verdict"]["id"] == "no-work"


def test_items_that_were_not_recorded_are_said_to_be_so_everywhere(tmp_path):
    folder = made(tmp_path / "capture", items=0, refused=[NO_ITEMS])
    (folder / "tables").mkdir(exist_ok=True)
    analysis = analyse(open_capture(folder)).to_json()
    assert not analysis["coverage"]["items_recorded"] and not analysis["coverage"]["contradictions"]
    passed = {rule["id"] for rule in analysis["rules"] if rule["status"] == "passed"}
    assert not passed & {"injection-delay", "blocked-at-cap", "healthy", "lock-convoy"}
    page = " ".join(render(analysis).split())
    assert "work items not recorded" in page
    assert summary(analysis) == "Not known: work items were not recorded."
    assert analysis["verdict"]["text"] == "Cannot tell: work items were not recorded."
    for claim in ("There was no work item", "No work item was seen"):
        assert claim not in page
    for claim in (
        "The queue stayed empty",
        "No work item waited",
        "0 of 0 items",
        "No item waited",
        "all waits complete",
    ):
        assert claim not in page


def test_a_cpu_quota_that_no_other_tool_records_is_not_known(tmp_path):
    analysis = analyse(open_capture(made(tmp_path / "capture", items=5))).to_json()

    def quota():
        return dict(next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Host"))["CPU quota"]

    analysis["capture"]["target"]["cpu_quota"] = None
    assert quota() == "not known"
    analysis["capture"]["made_from"] = None
    assert quota() == "none"


def test_losses_that_no_file_tells_are_not_said_to_be_none(tmp_path):
    untold = {"stream": "runtime.nettrace", "wanted": "how many events were lost", "why": "not counted", "how": HOW}
    told, silent = (
        analyse(open_capture(made(tmp_path / name, items=10, refused=gaps))).to_json()
        for name, gaps in (("told", []), ("silent", [untold]))
    )
    assert told["coverage"]["losses_known"] and "no runtime event lost" in render(told)
    assert not silent["coverage"]["losses_known"] and silent["verdict"]["confidence"] != "high"
    page = render(silent)
    assert "event lost" not in page and "lost runtime events not counted" in page
    assert "The number of lost events is unknown: not counted." in page


def test_limits_that_no_file_tells_are_marked_as_assumed(tmp_path):
    analysis = analyse(open_capture(made(tmp_path / "capture", items=5))).to_json()

    def threads(known):
        analysis["pool"] |= {"limits_known": known, "min_threads": 2, "max_threads": 32_767}
        rows = dict(next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Process"))
        return rows["Minimum threads"], rows["Maximum threads"]

    assert threads("unknown") == ("2 (assumed: the runtime's default)", "32,767 (assumed)")
    assert threads("default") == ("2 (the runtime's default)", "32,767 (assumed: the runtime's default)")


def test_the_card_names_the_files_and_redaction_does_not(tmp_path):
    analysis = analyse(open_capture(made(tmp_path / "capture", items=5))).to_json()
    rows = dict(next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Capture"))
    assert "trace.nettrace" in rows["Made from"]
    analysis["capture"]["made_from"][0]["from"] = "customer-4711.nettrace"
    assert "customer-4711" not in json.dumps(redact(analysis))


def contradicting(folder, refused=(), made_from=MADE_FROM):
    """A capture whose worker was on no core when it told of its waits."""
    builder = CaptureBuilder(folder, length=1000 * MS)
    for number in range(10):
        start = number * 50 * MS
        builder.item(start, start + MS, start + 9 * MS, 200, [("blocked", 4 * MS), ("running", 4 * MS)])
        builder.wait(200, start + 2 * MS, start + 4 * MS)
    builder.as_given = True
    builder.write()
    manifest = json.loads((folder / "capture.json").read_text())
    (folder / "capture.json").write_text(json.dumps(manifest | {"made_from": made_from, "refused": list(refused)}))
    return analyse(open_capture(folder)).to_json()


def test_a_contradiction_names_what_would_have_avoided_it(tmp_path):
    gap = {"stream": "sched.perf.data", "wanted": "all switches", "why": "perf ran without --switch-events"}
    gap["how"] = "Record perf with --switch-events"
    said = {
        "without": contradicting(tmp_path / "without", [gap]),
        "other": contradicting(tmp_path / "other"),
        "own": contradicting(tmp_path / "own", made_from=None),
    }
    assert all(analysis["coverage"]["contradictions"] for analysis in said.values())
    texts = {name: json.dumps([a["verdict"], a["findings"]]) for name, a in said.items()}
    assert "Perf ran without --switch-events. Record perf with --switch-events." in texts["without"]
    assert "Decoding it again does not help" in texts["other"] and "recipe perf" in texts["other"]
    assert "Decode it again" in texts["own"]
    assert not any("Decode it again" in texts[name] for name in ("without", "other"))


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
    """Says of these that they cannot be written, also to root."""
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


def test_what_a_trace_does_not_tell_is_not_made_up(tmp_path):
    analysis: Any = analyse(open_capture(made(tmp_path / "capture", items=5))).to_json()
    target, host = analysis["capture"]["target"], analysis["capture"]["host"]
    target |= {"name": f"process-{target['pid']}", "command": [], "runtime": None}
    host["os"] = ""
    groups = {title: dict(rows) for title, rows in captured_parts(analysis)["groups"]}
    assert [groups["Process"][label] for label in ("Name", "Command", "Runtime")] == ["not known"] * 3
    assert groups["Host"]["System"] == "not known"


def test_the_kernels_events_are_advised_for_the_traces_system(tmp_path):
    gap = {"stream": "sched.perf.data", "wanted": "what the kernel did with the threads", "why": "not in it"}
    gap["how"] = "Record with PerfView instead: poolscope recipe perfview"
    folder = tmp_path / "capture"
    CaptureBuilder(folder, length=1000 * MS, kernel=False, launched=False).item(-1, MS, 9 * MS, 200, []).write()
    manifest = json.loads((folder / "capture.json").read_text()) | {"made_from": MADE_FROM[:1], "refused": [gap]}
    (folder / "capture.json").write_text(json.dumps(manifest))
    advice = " ".join(text for f in analyse(open_capture(folder)).to_json()["findings"] for text in f["advice"])
    assert "recipe perfview." in advice and "recipe perf " not in advice and "collect --" not in advice
    assert "poolscope recipe dotnet-trace prints with -- COMMAND" in advice
