"""Counters and events of another tool's trace, in analysis.json, in the verdict and on the page."""

import json

import pytest
from poolscope.capture import open_capture
from poolscope.coverage.contradictions import find_contradictions
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.charts import figures
from poolscope.report.rendering import to_markdown
from synthetic import MS, CaptureBuilder

S = 1000 * MS
NO_ITEMS = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": "Record them."}
MADE = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
EVENTS = [
    ("Contoso-Orders", 1, "OrderPlaced", 7, 0),
    ("System.Runtime", 0, "EventCounters", 40, 13),
    ("System.Runtime", 3, "AppContextSwitch", 2, 0),
]


def figure_parts(*given):
    """Returns the parts of the figure, untyped."""
    return figures(*given)


def captured(folder, queue, completed, *, items=0, made=True, launched=False, threads=4):
    """Builds a trace with a reading of the counters each second."""
    builder = CaptureBuilder(folder, length=len(queue) * S, kernel=False, launched=launched)
    for number in range(items):
        builder.item(number * 50 * MS, number * 50 * MS + MS, (number * 50 + 9) * MS, 200, [])
    for second, (queued, ended) in enumerate(zip(queue, completed)):
        row = {"time": second * S, "since": max(second - 1, 0) * S, "queue_length": queued, "completed": ended}
        builder.rows["pool_counters"].append(
            row | {"threads": threads, "timers": 0, "methods_compiled": 0, "compiling": 0}
        )
    if made:
        for provider, id, name, count, used in EVENTS:
            row = {"provider": provider, "event_id": id, "name": name, "count": count, "used": used}
            builder.rows["event_counts"].append(row)
    builder.write()
    manifest = json.loads((folder / "capture.json").read_text())
    if made:
        manifest |= {"made_from": MADE, "refused": [] if items else [NO_ITEMS]}
    (folder / "capture.json").write_text(json.dumps(manifest))
    return open_capture(folder)


def test_a_trace_with_counters_and_no_items_cannot_tell_but_says_the_bounds(tmp_path):
    analysed = analyse(captured(tmp_path / "capture", [500] * 20, [100] * 20))
    verdict = analysed.verdict
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert "the mean wait was 3.99 s to 6.01 s, if the queue was steady" in verdict.text
    counters = analysed.to_json()["counters"]
    assert counters["no_bounds"] is None and counters["wait_ms"]["least"] < 5000 < counters["wait_ms"]["most"]
    assert (counters["readings"], counters["interval_s"], counters["queue_peak"]) == (20, 1.0, 500)
    page = render(analysed.to_json())
    assert (
        'id="chart-counters"' in page and "Little’s law" in page and "Single items may have waited much longer" in page
    )
    assert "3.99 s to 6.01 s" in to_markdown(analysed.to_json())


def test_a_standstill_is_said_in_the_verdict(tmp_path):
    analysed = analyse(captured(tmp_path / "capture", [9, 40, 50, 60, 70, 80], [5, 0, 0, 0, 0, 0]))
    assert (
        "No work item ended from 0.000 s to 5.000 s, while at least 9 work items were queued." in analysed.verdict.text
    )
    assert "too few items ended" in render(analysed.to_json())


def test_a_short_standstill_is_left_to_the_page(tmp_path):
    analysed = analyse(captured(tmp_path / "capture", [9, 40, 0, 0, 0, 0], [5, 0, 49, 0, 0, 0]))
    assert "No work item ended" not in analysed.verdict.text
    page = render(analysed.to_json()).replace("\N{NO-BREAK SPACE}", " ")
    assert "No work item ended from 0.000 s to 1.000 s" in page


def test_where_items_were_recorded_they_tell_and_no_item_is_made_of_a_counter(tmp_path):
    # The counters show a queue of 500 that no event shows: another tool may have left out items.
    capture = captured(tmp_path / "capture", [500] * 6, [100] * 6, items=100)
    assert len(capture.table("work_items")) == 100
    analysed = analyse(capture)
    assert "counters" not in analysed.to_json() and 'id="counters"' not in render(analysed.to_json())


def test_without_items_no_item_is_made_of_a_counter_and_nothing_contradicts(tmp_path):
    capture = captured(tmp_path / "capture", [500] * 20, [100] * 20)
    assert len(capture.table("work_items")) == 0
    assert not [found for found in find_contradictions(capture) if found.rows]


def test_of_poolscope_s_own_capture_the_counters_still_tell_of_queued_items(tmp_path):
    capture = captured(tmp_path / "capture", [500] * 6, [0] * 6, made=False)
    assert len(capture.table("work_items")) == 500
    analysed = analyse(capture).to_json()
    assert "counters" not in analysed and "events" not in analysed


def test_counters_that_were_not_told_are_gaps(tmp_path):
    counters = analyse(captured(tmp_path / "capture", [5, -1, 7], [-1, 30, 30], threads=-1)).to_json()["counters"]
    assert counters["queue"] == [5, None, 7] and counters["completed_per_s"] == [None, 30, 30]
    assert counters["threads"] == [None] * 3 and counters["no_bounds"] == "few_readings"


def test_many_readings_are_thinned_and_keep_the_longest_queue(tmp_path):
    queue = [5] * 2500
    queue[1234] = 777
    counters = analyse(captured(tmp_path / "capture", queue, [100] * 2500)).to_json()["counters"]
    assert counters["readings"] == 2500 and len(counters["seconds"]) == len(counters["queue"]) == 1000
    assert max(counters["queue"]) == counters["queue_peak"] == 777


@pytest.fixture
def analysis(tmp_path):
    return analyse(captured(tmp_path / "capture", [5] * 6, [100] * 6)).to_json()


def test_the_page_says_which_events_the_trace_has_and_what_of_them_is_used(analysis):
    assert (analysis["events"]["total"], analysis["events"]["used"]) == (49, 40)
    page = render(analysis)
    assert "40 of 49 events are used." in page
    assert "42 events, 40 used" in page and "7 events, none used" in page
    assert '<bdi>OrderPlaced</bdi></th><td class="n">7</td>' in page


def test_names_of_a_program_s_own_events_are_redacted(analysis):
    redacted = json.dumps(redact(analysis)["events"])
    assert "Contoso" not in redacted and "OrderPlaced" not in redacted and "System.Runtime" in redacted


def test_kinds_of_one_name_are_one_row(tmp_path):
    builder = CaptureBuilder(tmp_path / "capture", length=S, kernel=False)
    for id, count in ((1, 7), (2, 8)):
        row = {"provider": "System.Runtime", "event_id": id, "name": "EventCounters", "count": count, "used": 13}
        builder.rows["event_counts"].append(row)
    builder.rows["event_counts"].append({"provider": "A", "event_id": 1, "name": "event 1", "count": 3, "used": 0})
    builder.write()
    rows = analyse(open_capture(tmp_path / "capture")).to_json()["events"]["rows"]
    assert [(row["provider"], row["event"], row["count"], row["used"]) for row in rows] == [
        ("System.Runtime", "EventCounters", 15, "counters"),
        ("A", "event 1", 3, None),
    ]


NO_POOL = {"stream": "runtime.nettrace", "wanted": "worker threads and the pool's goal", "why": "x", "how": "y"}


@pytest.mark.parametrize("items", [False, True])
def test_a_pool_that_was_not_recorded_has_no_line_and_no_figure(items, analysis):
    analysis["capture"]["refused"] = [NO_POOL] if items else [NO_ITEMS, NO_POOL]
    analysis["coverage"]["items_recorded"] = items
    drawn = figure_parts(analysis).get("pool")
    names = [] if drawn is None else [trace["name"] for trace in drawn["data"]]
    assert names == (["items queued (most in each bin)", "busy with an item"] if items else [])
    page = render(analysis)
    assert "its threads and its goal are unknown" in page and "The goal was" not in page
    assert "did not change its goal" not in page


def test_without_items_the_pool_is_drawn_alone(analysis):
    drawn = figure_parts(analysis)["pool"]
    assert [trace["name"] for trace in drawn["data"]][:2] == ["threads that exist", "goal"]
    assert "yaxis2" not in drawn["layout"]


@pytest.mark.parametrize("changes", [[], [(1500 * MS, 9)]])
def test_without_items_the_goal_before_its_first_change_is_not_known(changes, tmp_path):
    builder = CaptureBuilder(tmp_path / "capture", length=3 * S, kernel=False, launched=False)
    for at, goal in changes:
        builder.rows["pool_changes"].append({"time": at, "tid": 1, "goal": goal, "reason": 6, "throughput": 0.0})
    builder.write()
    manifest = json.loads((tmp_path / "capture" / "capture.json").read_text())
    (tmp_path / "capture" / "capture.json").write_text(
        json.dumps(manifest | {"made_from": MADE, "refused": [NO_ITEMS]})
    )
    found = analyse(open_capture(tmp_path / "capture")).to_json()
    line = next(trace["y"] for trace in figure_parts(found)["pool"]["data"] if trace["name"] == "goal")
    page = render(found).replace("\N{NO-BREAK SPACE}", " ")
    assert "at first" not in page
    if changes:
        assert (
            "The goal is unknown before its first change at 1.500 s; from then on it was at most 9, and 9 threads at the end"
            in page
        )
        assert line[0] is None and line[-1] == 9
    else:
        assert "The goal did not change, and its value is unknown." in page
        assert not any(line)
