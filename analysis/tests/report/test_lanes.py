"""Worker lanes: exact if possible, otherwise bounded, and as safe as the rest of the page."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope import native
from poolscope.executions.segments import Executions, Segments
from poolscope.report.rendering import ASSETS
from poolscope.product import analyse, cells, lanes
from poolscope.report import render
from poolscope.report.sections.timeline import lanes_section
from synthetic import MS, CaptureBuilder
from ways import NATIVE, way  # noqa: F401

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e"


def lanes_parts(*given):
    """Returns the parts of the section, untyped."""
    return lanes_section(*given)


def two_workers(folder, **options):
    """Builds worker 200 with items 0 and 2, and worker 201 with item 1 in between; the kernel records their states."""
    builder = CaptureBuilder(folder, length=100 * MS, **options)
    builder.item(MS, 2 * MS, 12 * MS, 200, [("running", 4 * MS), ("running", MS), ("blocked", 5 * MS)])
    builder.item(MS, 4 * MS, 24 * MS, 201, [("ready", 10 * MS), ("running", 10 * MS)])
    builder.item(11 * MS, 12 * MS, 22 * MS, 200, [("running", 10 * MS)])
    builder.thread(200, 100, HOSTILE).thread(201, 100, ".NET TP Worker")
    return builder.write()


def many(folder, workers, each, length=1_000 * MS):
    """Builds workers that run `each` items back to back, half of each blocked."""
    builder = CaptureBuilder(folder, length=length)
    step = length // each
    for worker in range(workers):
        for i in range(each):
            # The workers start one after another, and each holds its items for less time than those before it.
            begin, hold = i * step + worker, step - 1000 * (worker + 1)
            parts = [("running", hold // 2), ("blocked", hold - hold // 2)]
            builder.item(begin, begin, begin + hold, 200 + worker, parts)
    return builder.write()


def build(capture):
    return lanes.build_lanes(capture, attribute(capture))


def rows(built):
    segments = built["segments"]
    return list(zip(*(segments[key] for key in ("worker", "item", "state", "start_s", "end_s")), strict=True))


def test_every_segment_as_measured_with_neighbours_joined(tmp_path):
    built = build(two_workers(tmp_path / "c"))
    assert rows(built) == [
        (0, 0, "running", 0.002, 0.007),
        (0, 0, "blocked", 0.007, 0.012),
        (0, 2, "running", 0.012, 0.022),
        (1, 1, "ready", 0.004, 0.014),
        (1, 1, "running", 0.014, 0.024),
    ]
    assert built["bin_s"] is None and built["left_out"] == 0
    first, second = built["workers"]
    assert (first["tid"], first["items"], first["busy_s"], first["cpu_s"], first["blocked_s"]) == (
        200,
        2,
        0.02,
        0.015,
        0.005,
    )
    assert (second["name"], second["busy_s"], second["ready_s"]) == (".NET TP Worker", 0.02, 0.01)


def test_none_without_a_kernel_stream_or_items(tmp_path):
    for capture in (two_workers(tmp_path / "c", kernel=False), CaptureBuilder(tmp_path / "d", length=MS).write()):
        analysis = analyse(capture).to_json()
        assert analysis["lanes"] is None
        assert 'id="chart-lanes"' not in render(analysis)
    assert (
        "Without a kernel stream" in lanes_parts(analyse(two_workers(tmp_path / "e", kernel=False)).to_json())["words"]
    )


def test_one_item(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=10 * MS)
    builder.item(MS, 2 * MS, 4 * MS, 200, [("running", 2 * MS)])
    analysis = analyse(builder.write()).to_json()
    assert rows(analysis["lanes"]) == [(0, 0, "running", 0.002, 0.004)]
    assert "1 worker ran 1 item and held them for 2 ms" in render(analysis).replace("\u00a0", " ")


def test_the_busiest_workers_stay_in_the_order_of_their_first_item(tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "LANES", 3)
    built = build(many(tmp_path / "c", workers=5, each=4))
    assert [w["tid"] for w in built["workers"]] == [200, 201, 202]
    assert built["left_out"] == 2 and built["left_out_busy_s"] == pytest.approx(2.0, rel=0.01)
    assert set(built["segments"]["worker"]) == {0, 1, 2}
    analysis = {"lanes": built, "coverage": {"tier": "tracepoint"}}
    assert lanes_parts(analysis)["words"].startswith("The 3 busiest of 5 workers ran 12 items")


def test_more_segments_than_can_be_drawn_are_merged_and_lose_no_time(tmp_path, monkeypatch):
    capture = many(tmp_path / "c", workers=4, each=50)
    exact = build(capture)
    monkeypatch.setattr(lanes, "SEGMENTS", 100)
    built = build(capture)
    assert exact["bin_s"] is None and built["bin_s"] == pytest.approx(1.0 / 25)
    assert 4 <= len(built["segments"]["item"]) <= 100
    assert built["workers"] == exact["workers"]

    def drawn(of):
        time = np.array(of["segments"]["end_s"]) - np.array(of["segments"]["start_s"])
        return np.bincount(of["segments"]["worker"], time)

    assert drawn(built) == pytest.approx(drawn(exact), rel=0.06)  # a bin that is held for 95 % is drawn whole


def test_a_bin_has_the_state_and_the_item_of_most_of_its_time(tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "SEGMENTS", 4)
    builder = CaptureBuilder(tmp_path / "c", length=40 * MS)
    # Bins of 10 ms: item 0 runs for 2 ms and is blocked for 5; item 1 takes the rest of the first bin and all of the
    # second.
    builder.item(0, 0, 7 * MS, 200, [("running", 2 * MS), ("blocked", 5 * MS)])
    builder.item(0, 7 * MS, 20 * MS, 200, [("running", MS), ("ready", 2 * MS), ("running", 10 * MS)])
    builder.item(0, 22 * MS, 24 * MS, 200, [("blocked", 2 * MS)])
    built = build(builder.write())
    assert built["bin_s"] == 0.01
    assert rows(built) == [
        (0, 0, "blocked", 0.0, 0.01),
        (0, 1, "running", 0.01, 0.02),
        (0, 2, "blocked", 0.02, 0.022),  # held for 2 ms of 10: drawn this long
    ]


def random_executions():
    """Returns executions of three lanes, some of them empty or without a lane, cut into segments of each state."""
    random = np.random.default_rng(7)
    start = random.integers(0, 990, 500)
    executions = Executions(np.zeros(500, dtype=np.int64), start, start + random.integers(0, 40, 500), 500)
    lane = random.integers(-1, 3, 500).astype(np.int8)
    item = np.repeat(np.arange(500), 3)
    cut = [
        np.linspace(executions.start, executions.end, 4).astype(np.int64)[at].ravel() for at in (slice(3), slice(1, 4))
    ]
    begin, end = (times.reshape(3, -1).T.ravel() for times in cut)
    kept = end > begin
    state = np.tile(np.array([0, 1, 2], dtype=np.int8), 500)[kept]
    return executions, Segments(item[kept], begin[kept], end[kept], state, state), lane


def test_pieces_of_intervals_add_up_to_them(way):
    executions, segments, lane = random_executions()
    held = np.where(lane >= 0, executions.end - executions.start, 0)
    for bins in (1, 7, 50):
        time = cells.time_in_cells(segments, lane, 3, bins, 1030)
        assert (time >= 0).all()
        of_lane = time.sum(axis=0).reshape(3, bins).sum(axis=1)
        assert of_lane == pytest.approx([held[lane == which].sum() for which in range(3)])


@NATIVE
@pytest.mark.parametrize("bins", [1, 7, 50])
@pytest.mark.parametrize("length", [1030, 700])
def test_the_extension_and_numpy_give_the_same_cells(monkeypatch, bins, length):
    executions, segments, lane = random_executions()

    def both():
        monkeypatch.setattr(cells, "SEGMENTS_AT_ONCE", 300)
        time = cells.time_in_cells(segments, lane, 3, bins, length)
        return time.tolist(), cells.most_in_cells(executions, lane, 3, bins, length).tolist()

    fast = both()
    monkeypatch.setattr(native, "extension", None)
    assert both() == fast


@NATIVE
def test_an_item_without_a_lane_is_refused():
    _, segments, lane = random_executions()
    with pytest.raises(ValueError, match="lane"):
        cells.time_in_cells(segments, lane[:10], 3, 7, 1030)
    with pytest.raises(ValueError, match="cells"):
        cells.time_in_cells(segments, lane, 2, 7, 1030)


def test_what_is_drawn_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "SEGMENTS", 60)
    monkeypatch.setattr(lanes, "LANES", 6)
    analysis: Any = analyse(many(tmp_path / "c", workers=9, each=30)).to_json()
    assert len(analysis["lanes"]["segments"]["item"]) <= 60 and len(analysis["lanes"]["workers"]) == 6
    # The page draws from that data and holds it once.
    assert render(analysis).count('"start_s":') == render(analysis | {"lanes": None}).count('"start_s":') + 1


def test_states_differ_by_thickness_and_the_key_says_so(tmp_path):
    thickness = re.search(r"THICKNESS = \[([^\]]+)\]", (ASSETS / "lanes-picture.js").read_text("utf-8"))
    parts = [float(part) for part in thickness[1].split(",")]
    assert parts == sorted(set(parts), reverse=True) and len(parts) == 3
    html = render(analyse(two_workers(tmp_path / "c")).to_json())
    key = html.split('class="lane-key"')[1].split("</ul>")[0]
    assert [key.index(words) for words in ("thick: running", "thinner: runnable", "thinnest: blocked")] == sorted(
        key.index(words) for words in ("thick: running", "thinner: runnable", "thinnest: blocked")
    )
    assert "an item begins" in key


def test_hostile_thread_names_stay_text(tmp_path):
    analysis = analyse(two_workers(tmp_path / "c")).to_json()
    assert analysis["lanes"]["workers"][0]["name"] == HOSTILE
    html = render(copy.deepcopy(analysis))
    assert "<img" not in html.split("</style>")[1].split("<script>")[0]
    assert "&lt;img src=x onerror=alert(1)&gt;" in html and "\u202e" not in html
