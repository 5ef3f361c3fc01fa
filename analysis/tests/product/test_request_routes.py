"""Routes, and the requests of analysis.json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from poolscope.capture.schema import enum
from poolscope.measures.requests.routes import route_of
from poolscope.product import analyse
from poolscope.redact.redact import redact
from poolscope.report.rendering import render, to_markdown
from service import web_service
from synthetic import MS


@pytest.mark.parametrize(
    "path, route",
    [
        ("/", "/"),
        ("/orders", "/orders"),
        ("/orders/17", "/orders/{id}"),
        ("/orders/17/lines/2", "/orders/{id}/lines/{id}"),
        ("/v2/users/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f", "/v2/users/{id}"),
        ("/blobs/deadbeefdeadbeef", "/blobs/{id}"),
        ("/reset/eyJhbGciOiJIUzI1NiJ9abc123", "/reset/{id}"),
        ("/a-long-name-without-any-digit", "/a-long-name-without-any-digit"),
        ("", ""),
    ],
)
def test_a_route_is_the_path_without_what_names_one_of_many(path, route):
    assert route_of(path) == route


def test_requests_of_the_product(tmp_path):
    requests: Any = analyse(web_service(tmp_path, [40] * 10, remote="10.0.0.9:5432").write()).to_json()["requests"]

    assert (requests["count"], requests["tied"], requests["answered"], requests["waiting"]) == (10, 10, 10, 0)
    assert requests["latency_ms"]["p50"] == pytest.approx(51)
    assert sum(requests["parts_ms"].values()) == pytest.approx(requests["latency_ms"]["mean"])
    assert sum(requests["wait_ms"].values()) == pytest.approx(
        requests["parts_ms"]["unread"] + requests["parts_ms"]["queued"]
    )
    assert [(r["http_method"], r["route"], r["count"]) for r in requests["routes"]] == [("GET", "/orders/{id}", 10)]
    assert [(s["endpoint"], s["calls"]) for s in requests["services"]] == [("10.0.0.9:5432", 10)]
    assert len(requests["worst"]) == 10
    steps = requests["worst"][0]["steps"]
    assert [step["what"] for step in steps].count("service") == 1
    assert all((a["what"], a["item"]) != (b["what"], b["item"]) for a, b in zip(steps, steps[1:], strict=False))
    assert sum(step["ms"] for step in steps) == pytest.approx(requests["worst"][0]["latency_ms"])


def test_services_beyond_the_twentieth_are_added_up(tmp_path):
    builder = web_service(tmp_path, [40 + n for n in range(25)])
    outgoing = [row for row in builder.rows["sockets"] if row["role"] == enum("sockets", "role", "connected")]
    assert len(outgoing) == 25
    for number, row in enumerate(outgoing):
        row["remote"] = f"10.0.0.{number}:5432"
    analysis = analyse(builder.write()).to_json()
    requests = analysis["requests"]
    assert [s["endpoint"] for s in requests["services"]] == [f"10.0.0.{n}:5432" for n in range(24, 4, -1)]
    assert requests["services_left_out"] == {
        "endpoints": 5,
        "calls": 5,
        "total_ms": pytest.approx(40 + 41 + 42 + 43 + 44),
    }
    every = sum(s["latency_ms"]["mean"] for s in requests["services"]) + requests["services_left_out"]["total_ms"]
    assert every == pytest.approx(25 * requests["parts_ms"]["services"])
    said = "5 other services gave 5 answers, for which requests waited"
    assert said in render(analysis)


def test_page_and_markdown_show_them_and_only_where_there_are_some(tmp_path):
    analysis = analyse(web_service(tmp_path / "web", [40] * 10, path="/<b>/{n}").write()).to_json()
    page, text = render(analysis), to_markdown(analysis)
    assert 'id="requests"' in page and "An answered request took" in page
    assert "GET /&lt;b&gt;/{id}" in page and "<b>/" not in page.partition("<script")[0]
    assert "| waiting for other services | 40 ms | 78 % |" in text

    none = analyse(_without_requests(tmp_path / "other").write()).to_json()
    assert none["requests"] is None
    assert 'id="requests"' not in render(none)


def _without_requests(folder):
    builder = web_service(folder, [40] * 3)
    builder.rows["requests"] = []
    return builder


def test_routes_and_endpoints_are_redacted(tmp_path):
    capture = web_service(tmp_path, [20] * 12 + [800] * 10, path="/acme-secret/{n}", remote="192.0.2.77:4711").write()
    shown = json.dumps(redact(analyse(capture).to_json()))

    assert "192.0.2.77" not in shown and "4711" not in shown and "acme" not in shown
    assert '"GET"' in shown


def test_what_has_no_path_has_an_empty_route(tmp_path):
    """For example in a table whose text is damaged."""
    builder = web_service(tmp_path, [40] * 3).call(10 * MS, 20 * MS)
    for row in (*builder.rows["requests"], *builder.rows["calls"]):
        row["path"] = None
    analysis = analyse(builder.write()).to_json()
    assert [r["route"] for r in analysis["requests"]["routes"]] == [""]
    assert [r["route"] for r in analysis["calls"]["routes"]] == [""]
