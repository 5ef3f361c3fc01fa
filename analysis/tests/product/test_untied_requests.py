"""Requests in captures that do not show when their bytes came: the figures that are given, and those that are not."""

import json

import pytest
from served_requests import served

from poolscope import open as open_library
from poolscope.__main__ import run as poolscope
from poolscope.attribution.attribute import attribute
from poolscope.capture import open_capture
from poolscope.measures.requests import measure_requests
from poolscope.measures.socket_reads import read_waits
from poolscope.product import analyse
from poolscope.report.rendering import render, to_markdown

LATENCIES = [30.0] * 8 + [50.0, 90.0]
QUEUED = 10.0
"""Wait of each request before it was read, ms: no figure may include it."""
BEGINS, LEAVES = QUEUED + 0.5, 0.25
"""ms from its arrival to a request's begin, and from its leaving the application to its answer (served)."""
WHY = {"not_recorded": "that needs the kernel's socket events", "not_told": "Windows does not report"}


@pytest.fixture(params=["not_recorded", "not_told"])
def arrivals(request):
    return request.param


@pytest.fixture
def folder(tmp_path, arrivals):
    return served(
        tmp_path / "c", LATENCIES, queued=QUEUED, paths=("/a", "/b/17"), sockets=False, windows=arrivals == "not_told"
    )


def test_analysis_json_has_the_time_in_the_application_and_no_latency(folder, arrivals):
    requests = analyse(open_capture(folder)).to_json()["requests"]

    assert (requests["count"], requests["arrivals"], requests["tied"], requests["answered"]) == (10, arrivals, 0, 0)
    assert requests["latency_ms"]["mean"] is None and requests["latency_ms"]["max"] is None
    assert requests["parts_ms"] is None and requests["wait_ms"] is None
    assert requests["worst"] == [] and requests["services"] == []
    inside = [latency - BEGINS - LEAVES for latency in LATENCIES]
    assert requests["application_ms"]["mean"] == pytest.approx(sum(inside) / len(inside))
    assert (
        requests["application_ms"]["max"] == pytest.approx(max(inside)) and requests["application_ms"]["at_least"] == []
    )
    assert [(r["route"], r["count"]) for r in requests["routes"]] == [
        ("/b/{id}", 5),
        ("/a", 5),
    ]  # the longest total first
    assert all(r["latency_ms"]["p50"] is None for r in requests["routes"])
    assert requests["routes"][0]["application_ms"]["max"] == pytest.approx(90 - BEGINS - LEAVES)


def test_page_ticket_and_terminal_say_what_is_not_known(folder, arrivals, capsys):
    analysis = analyse(open_capture(folder)).to_json()
    assert poolscope(["attribute", str(folder)]) == 0
    for text in (render(analysis), to_markdown(analysis), " ".join(capsys.readouterr().out.split())):
        plain = text.replace("&#39;", "'")
        assert WHY[arrivals] in plain and "10 requests began." in plain
        assert not any(other in plain for why, other in WHY.items() if why != arrivals)
        assert "79.2 ms" in plain  # the longest in the application
        assert "from the arrival of its last byte" not in plain
        assert "90 ms" not in plain  # the longest latency, which is not known


def test_a_request_that_never_left_is_a_lower_bound(tmp_path, arrivals):
    folder = served(
        tmp_path, LATENCIES, sockets=False, windows=arrivals == "not_told", unanswered=1, queued=QUEUED, length=1000
    )
    application = analyse(open_capture(folder)).to_json()["requests"]["application_ms"]
    begun = 10 + 20 * (len(LATENCIES) - 1) + BEGINS
    assert application["max"] == pytest.approx(1000 - begun) and "max" in application["at_least"]
    assert "p50" not in application["at_least"]


def test_no_table_of_arrivals_is_taken_from_what_Windows_reports(tmp_path):
    capture = open_capture(served(tmp_path, LATENCIES, windows=True))
    assert capture.has("sockets") and capture.has("socket_reports") and not capture.has("socket_io")
    assert read_waits(capture) is None
    assert not measure_requests(capture, attribute(capture)).tied.any()
    rules = {rule["id"]: rule for rule in analyse(capture).to_json()["rules"]}
    assert rules["slow-service"]["status"] == "not-applicable"  # which is not passed
    assert len(open_library(capture.path).services()) == 0


def test_the_library_tells_when_requests_left(folder):
    frame = open_library(folder).requests()
    assert (frame["left"] > frame["begun"]).all() and (frame["arrived"] == -1).all() and frame["latency"].isna().all()


def test_check_cannot_tell(folder, capsys):
    assert poolscope(["check", str(folder), "--json", "--fail-on", "request.p99>1ms"]) == 4
    assert json.loads(capsys.readouterr().out)["conditions"][0]["status"] != "held"
