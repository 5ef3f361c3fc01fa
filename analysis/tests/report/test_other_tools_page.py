"""The page of another tool's recording: the data it shows, the data it lacks, and the one command for the rest."""

import json
import re
from typing import Any

import pytest
from poolscope.capture import open_capture
from poolscope.capture.schema import enum
from poolscope.product import analyse
from poolscope.report import render
from poolscope.report.charts.pool import pool_figure
from poolscope.report.rendering import to_markdown
from poolscope.report.sections.captured import captured_section
from poolscope.report.sections.findings import advice_section
from poolscope.report.sections.timeline import pool_words, suspended_words
from poolscope.report.sections.without_items import shown_lines
from synthetic import MS, CaptureBuilder

S = 1000 * MS
MADE = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
ITEMS = {
    "stream": "runtime.nettrace",
    "wanted": "work items",
    "why": "FrameworkEventSource was not recorded",
    "how": "Record again with the line that this prints: poolscope recipe dotnet-trace",
}
POOL = {"stream": "runtime.nettrace", "wanted": "worker threads and the pool's goal", "why": "x", "how": ITEMS["how"]}
CONFIGURATION = {
    "stream": "manifest",
    "wanted": "the process's configuration",
    "why": "x",
    "how": "Record with Poolscope",
}
KERNEL_HOW = {
    "Linux": "Record perf beside it: poolscope recipe perf",
    "Windows": "Record with PerfView instead: poolscope recipe perfview",
    "macOS": "Poolscope reads no kernel events of macOS; reproduce it on Linux, and record perf beside it: poolscope recipe perf",
    "": "On Linux: record perf beside it: poolscope recipe perf; on Windows: record with PerfView instead: poolscope recipe perfview",
}


def pool_parts(*given):
    """Returns the parts of the section, untyped."""
    return pool_figure(*given)


def captured_parts(*given):
    """Returns the parts of the section, untyped."""
    return captured_section(*given)


def kernel(system):
    how = KERNEL_HOW[system]
    return {"stream": "sched.perf.data", "wanted": "what the kernel did with the threads", "why": "x", "how": how}


def traced(folder, system="Linux", *, lacks=(ITEMS,), items=0, rows=None, command=None, builder=None):
    """Builds another tool's trace of the runtime alone."""
    builder = builder or CaptureBuilder(folder, length=10 * S, kernel=False, launched=False)
    for number in range(items):
        builder.item(number * 50 * MS, number * 50 * MS + MS, (number * 50 + 9) * MS, 200, [])
    for table, more in (rows or {}).items():
        builder.rows[table] += more
    builder.write()
    manifest = json.loads((folder / "capture.json").read_text())
    manifest |= {"made_from": MADE, "refused": [*lacks, kernel(system), CONFIGURATION]}
    manifest["host"]["os"] = system
    manifest["target"]["command"] = [command] if command else []
    (folder / "capture.json").write_text(json.dumps(manifest))
    return analyse(open_capture(folder)).to_json()


def changes(*reasons):
    rows = [(int(at * S), goal, enum("pool_changes", "reason", reason)) for at, goal, reason in reasons]
    keys = ("time", "goal", "reason")
    return {"pool_changes": [dict(zip(keys, row)) | {"tid": 1, "throughput": 0.0} for row in rows]}


def holes(analysis):
    return next(f for f in analysis["findings"] if f["id"] == "coverage-low")["evidence"]


@pytest.mark.parametrize(
    ("system", "recipe", "other"), [("Linux", "perf", "perfview"), ("Windows", "perfview", "perf")]
)
def test_one_command_of_the_traces_system_records_the_rest(system, recipe, other, tmp_path):
    steps = advice_section(traced(tmp_path / "x", system))["capture_again"]
    assert len(steps) == 2, "the command, and the configuration"
    assert f"poolscope recipe {recipe}." in steps[0] and "what the kernel did with the threads" in steps[0]
    assert "poolscope recipe dotnet-trace." in steps[0], "without the rights for it"
    assert not any(re.search(rf"recipe {other}\b", step) or "-- COMMAND" in step for step in steps)


@pytest.mark.parametrize("system", ["macOS", ""])
def test_where_no_one_command_records_all_each_is_named_once(system, tmp_path):
    steps = advice_section(traced(tmp_path / "x", system))["capture_again"]
    assert len(steps) == len(set(steps)) == 3
    assert steps[0] == f"{ITEMS['how']}." and steps[1] == f"{KERNEL_HOW[system]}."


def test_what_to_record_is_in_sight_where_there_is_nothing_else_to_do(tmp_path):
    assert '<details class="more" open><summary>For better evidence' in render(traced(tmp_path / "x"))


def test_the_pools_goal_is_inferred_with_items_alone(tmp_path):
    without = traced(tmp_path / "without", rows=changes((2, 9, "Warmup")))
    assert "The capture began late: the pool's goal before its first change is not known." in holes(without)
    assert holes(without)[0] == "Work items were not recorded: FrameworkEventSource was not recorded."
    no_pool = traced(tmp_path / "no-pool", lacks=(ITEMS, POOL))
    assert "The pool's own events were not recorded, so its threads and its goal are not known." in holes(no_pool)
    assert not any("began late" in hole for hole in holes(no_pool))
    items = traced(tmp_path / "items", lacks=(), items=20)
    assert "The capture began late: the pool's goal before its first change is inferred." in holes(items)


def test_the_goal_is_drawn_from_its_first_change_on_and_never_below_it(tmp_path):
    analysis = traced(tmp_path / "x", rows=changes((3.33, 101, "Warmup")))
    goal = next(line for line in pool_parts(analysis)["data"] if line["name"] == "goal")["y"]
    assert {value for value in goal if value is not None} == {101}
    said = pool_words(analysis["timeline"], recorded=False, goal_known=False)
    assert said.endswith("its first change at 3.330 s; from then on it was at most 101, and 101 threads at the end.")


def test_what_is_not_in_the_file_was_not_refused(tmp_path):
    analysis = traced(tmp_path / "x")
    section, page = captured_parts(analysis), render(analysis)
    assert section["gist"].endswith("; 3 kinds of information not in it.")
    assert "What the recording does not hold, and how to record it" in page and "refused" not in section["gist"]
    assert "Why it was refused" not in page and "how to allow it" not in page
    analysis["capture"] |= {"made_from": None, "streams": []}
    assert captured_parts(analysis)["gist"].endswith("3 requests refused.")
    assert "Why it was refused" in render(analysis)


def test_the_command_line_of_a_trace_is_shown_as_it_is(tmp_path):
    command = '"C:\\Program Files\\shop.exe" --urls http://*:80 '
    analysis = traced(tmp_path / "x", command=command)

    def shown():
        return dict(next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Process"))["Command"]

    assert shown() == command.strip()
    analysis["capture"]["target"]["command"] = ["dotnet", "my shop.dll"]
    assert shown() == "dotnet 'my shop.dll'"


def test_a_cpu_quota_of_windows_is_not_known(tmp_path):
    builder = CaptureBuilder(tmp_path / "x", length=S, tier="etw")
    builder.item(0, MS, 9 * MS, 200, [("running", 8 * MS)])
    analysis = analyse(builder.write()).to_json()
    host = dict(next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Host"))
    assert host["CPU quota"] == "not known"


def test_charts_that_are_not_there_have_no_buttons(tmp_path):
    page = render(traced(tmp_path / "x", lacks=(ITEMS, POOL)))
    assert "data-zoom=" not in page.partition("<script")[0].partition("</style>")[2]
    assert 'data-zoom="in"' in render(traced(tmp_path / "items", lacks=(), items=20))


def test_the_profilers_own_suspensions_are_said_to_be_its_own(tmp_path):
    timeline: Any = {"suspension_totals": {"times": 500, "ms": 90.0, "longest_ms": 1.0}, "suspensions": []}
    profile: Any = {"threads": [{"samples": 450}, {"samples": 12}]}
    assert "About 450 of these are the recording\u2019s own" in suspended_words(timeline, profile)
    assert "own" not in suspended_words(timeline, None)
    timeline["suspension_totals"]["times"] = 300
    assert "These are the recording\u2019s own" in suspended_words(timeline, profile), "no more than there were"


def test_what_a_trace_without_items_shows_stands_at_the_top(tmp_path):
    reasons = changes((2, 9, "Starvation"), (3, 10, "Starvation"), (4, 8, "ClimbingMove"))
    analysis = traced(tmp_path / "x", rows=reasons)
    (line,) = shown_lines(analysis)
    assert line.text.startswith("Why the pool changed its goal: starvation: no item finished for a while")
    assert "(2 times, 2.000 s to 3.000 s)" in line.text and "(1 time, at 4.000 s)" in line.text
    page = render(analysis)
    assert page.index("What it shows all the same") < page.index('id="fixes"') and 'href="#pool"' in page
    assert "**What it shows all the same**" in to_markdown(analysis)


def test_with_items_the_verdict_says_what_they_show(tmp_path):
    analysis = traced(tmp_path / "x", lacks=(), items=20, rows=changes((2, 9, "Starvation")))
    assert not shown_lines(analysis) and "What it shows all the same" not in render(analysis)


def test_where_the_pools_threads_stood_stands_at_the_top(tmp_path):
    analysis = traced(tmp_path / "x")
    thread = {"pool": True, "samples": 100, "idle": 30, "method": "Shop.Pay"}
    others = [thread | {"method": None, "idle": 100}, thread | {"pool": False, "method": "Main"}]
    analysis["profile"] = {"threads": [thread, thread, *others], "threads_left_out": 0, "total": 400}

    def said():
        return shown_lines(analysis)[-1].text

    rest = "waited for an item in 53 % of their samples; otherwise 2 of them stood mostly in Shop.Pay."
    assert said() == f"3 threads of the pool {rest}"
    analysis["profile"]["threads_left_out"] = 7
    assert said() == f"The 3 most sampled threads of the pool {rest}"
    analysis["profile"]["threads"] = [thread | {"idle": 0}, others[1]]
    assert said() == "1 of the 1 most sampled threads of the pool stood mostly in Shop.Pay."
    analysis["profile"]["threads"] = [others[1]]
    assert said() == "Where threads stood: 400 samples with stacks."


@pytest.mark.parametrize("wanted", ["stable ids", "another process than the recorder"])
def test_a_trace_of_windows_whose_items_say_nothing_gets_no_verdict(wanted, tmp_path):
    builder = CaptureBuilder(tmp_path / "x", length=S, tier="etw")
    builder.item(0, MS, 9 * MS, 200, [("running", 8 * MS)])
    builder.write()
    assert analyse(open_capture(tmp_path / "x")).verdict.id == "healthy"
    gap = {"stream": "work items", "wanted": wanted, "why": "x says so", "how": "Record another one"}
    manifest = json.loads((tmp_path / "x" / "capture.json").read_text()) | {"refused": [gap]}
    (tmp_path / "x" / "capture.json").write_text(json.dumps(manifest))
    verdict = analyse(open_capture(tmp_path / "x")).verdict
    assert verdict.id == "cannot-tell" and any("X says so." in reason for reason in verdict.reasons)
    assert verdict.text.startswith("Cannot tell whether items waited: x says so.")
    page = render(analyse(open_capture(tmp_path / "x")).to_json())
    assert "look elsewhere" not in page, "a short wait of such items excludes nothing"
