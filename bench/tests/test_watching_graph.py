"""The plot of a watcher's resources, and the figures that show whether they grow."""

from xml.etree import ElementTree

import pytest
from watching import faults, graph, rotations
from watching.processes import Usage

SVG = "{http://www.w3.org/2000/svg}"


def found(seconds: int) -> dict:
    samples = [
        {"at": float(i), "cpu_s": 0.04 * i, "rss_mb": 100.0 + i % 3, "files": 50.0, "threads": 20.0, "disk_mb": 7.0 * i}
        for i in range(seconds)
    ]
    return {"samples": samples, "faults": [{"at": 10.0, "endpoint": "/sync"}, {"at": 40.0, "endpoint": "/sync"}]}


def test_each_curve_has_every_sample_inside_its_frame():
    drawing = ElementTree.fromstring(graph.svg(found(60)))
    curves = drawing.findall(f"{SVG}polyline")
    assert len(curves) == 4
    for number, curve in enumerate(curves):
        points = [tuple(map(float, point.split(","))) for point in curve.attrib["points"].split()]
        assert len(points) == 60
        top = graph.TOP + number * graph.HEIGHT
        assert all(graph.LEFT <= x <= graph.LEFT + graph.WIDTH and top <= y <= top + graph.HEIGHT for x, y in points)
    assert sum("stroke-dasharray" in path.attrib for path in drawing.findall(f"{SVG}path")) == 2


def test_growth_shows_between_the_second_tenth_and_the_last():
    rows = [(Usage(i, 0.0, 100.0 + i, 50, 20, 0.0), Usage(i, 0.0, 200.0, 90, 30, 0.0), 5.0) for i in range(100)]
    result = rotations.summary({"rows": rows, "slots": 600, "lost": 0, "warnings": [], "exit": 0, "left": []})
    assert result["watcher_rss_mb"] == (115.0, 195.0)
    assert result["watcher_files"] == (50.0, 50.0)
    assert result["disk_mb"] == (5.0, 5.0)


def test_an_incident_is_over_when_nothing_has_waited_for_a_while():
    def state(second: int, wait: float) -> dict:
        return {"state": "watching", "wait_s": wait, "time": f"2026-01-02T03:04:{second:02}.1234567Z"}

    waits = [0, 0, 1.5, 4, 0.2, 2, 0.1, 0, 0.3, 0, 0]
    lines = [state(second, wait) for second, wait in enumerate(waits)] + [{"event": "fired"}]
    assert faults._calm_moments(lines) == ["2026-01-02T03:04:09.1234567Z"]
    assert faults._apart("2026-01-02T03:04:05.1234567Z", "2026-01-02T03:05:05.5+00:00") == pytest.approx(60.3765433)
