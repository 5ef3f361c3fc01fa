"""A capture made from other tools' files says what it shows, and what it does not know."""

import json
import os
from typing import Any

import pytest
from foreign_captures import MADE_FROM, made
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.sections.captured import captured_section
from poolscope.report.sections.incidents import summary
from synthetic import MS, CaptureBuilder

HOW = "Record again with: dotnet-trace collect -p PID"
NO_ITEMS = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": HOW}


def captured_parts(*given):
    """Returns the parts of the section, untyped."""
    return captured_section(*given)


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
    # In a capture by Poolscope itself nothing would have been queued.
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
    """Builds a capture whose worker was on no core when it wrote its wait events."""
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
