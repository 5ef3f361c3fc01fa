"""The page of `bench all`: rows become lines, growth becomes a plot, and parts that were not measured stay."""

import json
import sys

import pytest

import every.__main__ as everything
from decode.goals import row
from every import machine, page, plot

ABOUT = {
    "cores": 2,
    "processor": "A processor",
    "memory_gib": 24.0,
    "kernel": "6.1",
    "perf": None,
    "dotnet": "10.0",
    "cpu_pressure_percent": 7.0,
}


def rows():
    """Returns one row of each kind: compared with a peer, with a goal, with nothing."""
    return machine.dated(
        [
            row("runtime.cpu", [1.0, 2.0, 3.0], [4.0, 4.0, 4.0], "TraceLog", "s", 1 / 3),
            row("stop.prompt", [2.5], [3.0], "goal", "s", 1.0),
            row("growth.10000.wall", [2.0], [2.0], "no peer", "s", None),
            row("growth.1000000.wall", [37.0], [15.0], "goal", "s", 1.0),
        ]
    )


def test_each_row_is_a_line_with_its_spread_its_goal_and_its_number_of_runs():
    text = page.rendered(ABOUT, rows())
    cpu, prompt, small, large = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert "2.00 s (1.00 to 3.00)" in cpu and "4.00 s (TraceLog)" in cpu and "0.50 (0.25 to 0.75)" in cpu
    assert "at most 0.33 | **missed** | 3 |" in cpu
    assert "| met | 1 |" in prompt
    assert "analyse 10,000 items: clock" in small and "no peer" not in small
    assert "**missed**" in large
    assert "no perf" in text and "7 % of the time" in text


def test_the_page_keeps_what_is_around_its_markers(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "PICTURE", tmp_path / "growth.svg")
    page.PAGE.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    page.write(ABOUT, rows())
    first = page.PAGE.read_text()
    assert first.startswith("before\n") and first.endswith("\nafter\n") and "old" not in first
    assert "clock" in page.PICTURE.read_text()
    page.write(ABOUT, rows())
    assert page.PAGE.read_text() == first


def test_a_power_law_is_a_straight_line():
    drawn = plot.drawn({"clock": {10: 0.1, 100: 1.0, 1000: 10.0}}, "items", "seconds")
    [points] = [line.split('"')[1] for line in drawn.splitlines() if line.startswith("<polyline")]
    (x0, y0), (x1, y1), (x2, y2) = [tuple(map(float, point.split(","))) for point in points.split()]
    assert x1 - x0 == pytest.approx(x2 - x1) and y0 - y1 == pytest.approx(y1 - y2)
    assert x2 > x1 and y2 < y1  # the y of an SVG grows downwards


def test_a_value_of_nothing_has_no_place_on_a_logarithmic_axis():
    with pytest.raises(ValueError, match="above 0"):
        plot.drawn({"clock": {10: 0.0}}, "items", "seconds")


def test_parts_that_are_not_measured_keep_their_rows(tmp_path, monkeypatch):
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"machine": ABOUT, "rows": rows()}))
    written = []
    monkeypatch.setattr(everything, "RESULTS", results)
    monkeypatch.setattr(everything, "ROOT", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "write", lambda about, found: written.extend(found))
    monkeypatch.setattr(machine, "about", lambda: ABOUT)
    monkeypatch.setitem(everything.PARTS, "stop", lambda options: [row("stop.prompt", [9.0], [3.0], "goal", "s", 1.0)])
    monkeypatch.setitem(everything.PARTS, "runtime", lambda options: [])
    monkeypatch.setattr(sys, "argv", ["all", "--only", "stop", "--only", "runtime"])
    assert everything.main() == 1  # a goal is missed
    assert [(found["id"], found["ours"]) for found in written] == [
        ("runtime.cpu", 2.0),  # measured again, without the tool to measure it
        ("stop.prompt", 9.0),
        ("growth.10000.wall", 2.0),
        ("growth.1000000.wall", 37.0),
    ]
