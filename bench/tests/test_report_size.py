"""The large capture of the report's benchmark, the size of its analysis, and its goals."""

import json

import pytest
from poolscope.capture import open_capture
from poolscope.contract.tables import TableName
from poolscope.product import analyse
from poolscope.product.lanes import SEGMENTS
from poolscope.product.timeline import ALL_WAITS, BINS
from poolscope.product.worst import COUNT
from report import goals, large_capture, pool_run

ITEMS = 6_000

MADE = {
    "page_bytes": 4_000_000,
    "same_bytes": True,
    "analyse_s": 90.0,
    "analyse_cpu_s": 60.0,
    "render_s": 0.2,
    "peak_bytes": 3_000_000_000,
    "json_bytes": {"lanes": 500_000, "blame": 400_000},
}
OPENED = {"ready_ms": 900, "zoom_ms": 40, "zoom_worst_ms": 80, "longest_task_ms": 200}


def missed(made=(), opened=()):
    result = {"made": {**MADE, **dict(made)}, "opened": {**OPENED, **dict(opened)}}
    return [row.what for row in goals.rows(result) if row.met is False]


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large") / "capture"
    large_capture.make(folder, ITEMS)
    return folder


def test_it_has_as_many_items_as_asked_for_and_every_other_table(capture):
    tables = open_capture(capture)
    assert len(tables.table("work_items")) == ITEMS
    assert 4 * ITEMS < len(tables.table("switches")) <= 6 * ITEMS
    others: list[TableName] = ["thread_states", "wakeups", "waits", "stacks", "frames", "snapshots", "cpu_samples"]
    for name in (*others, "pool_changes"):
        assert len(tables.table(name)) > 0, name


def test_a_worker_does_one_thing_at_a_time(capture):
    states = open_capture(capture).table("thread_states")
    follows = states["tid"].to_numpy()[1:] == states["tid"].to_numpy()[:-1]
    assert (states["start"].to_numpy()[1:] >= states["end"].to_numpy()[:-1])[follows].all()


def test_the_same_seed_makes_the_same_capture(capture, tmp_path):
    large_capture.make(tmp_path / "again", ITEMS)
    for file in sorted(capture.rglob("*.npz")):
        assert file.read_bytes() == (tmp_path / "again" / file.relative_to(capture)).read_bytes(), file.name


def test_what_an_analysis_keeps_follows_the_picture_not_the_capture(capture):
    """The capture has more items than are drawn individually, and more segments than the lanes have."""
    assert ITEMS > ALL_WAITS and ITEMS * pool_run.STATES_PER_ITEM > SEGMENTS
    content = analyse(open_capture(capture)).to_json()
    assert content["verdict"]["id"] != "cannot-tell"  # a contradictory capture would skip the advice
    lengths: dict[str, int] = {}

    def look(value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                look(inner, f"{path}.{key}")
        elif isinstance(value, list):
            lengths[path] = max(lengths.get(path, 0), len(value))
            for inner in value:
                look(inner, f"{path}[]")

    look(json.loads(json.dumps(content)), "")
    assert max(lengths.values()) <= SEGMENTS
    drawn = {path: length for path, length in lengths.items() if path.startswith(".timeline.waits[]")}
    assert max(drawn.values()) <= 2 * BINS + COUNT
    assert max(length for path, length in lengths.items() if path.startswith(".timeline")) <= 2 * BINS + COUNT


def test_goals_that_are_met_are_not_missed():
    assert missed() == []


@pytest.mark.parametrize(
    "made, opened, what",
    [
        ({"page_bytes": 5_000_001}, {}, "page"),
        ({"same_bytes": False}, {}, "two renderings"),
        ({"analyse_cpu_s": 121.0}, {}, "analysis"),
        ({"peak_bytes": 7_000_000_000}, {}, "peak memory"),
        ({}, {"ready_ms": 2_000}, "ready to use"),
        ({}, {"zoom_ms": 101}, "a step of a zoom"),
    ],
)
def test_a_goal_that_is_missed_is_named(made, opened, what):
    assert missed(made, opened) == [what]


def test_without_a_browser_the_table_says_what_was_not_measured():
    rows = goals.rows({"made": MADE, "opened": {"missing": ["chromium"]}})
    assert "not measured: chromium missing" in goals.table(rows)
