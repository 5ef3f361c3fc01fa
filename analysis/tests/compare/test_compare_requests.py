"""Requests compared between two sides."""

import json
import math

import pytest
from numbered_runs import run
from poolscope.__main__ import run as poolscope
from poolscope.compare import compare as compare_captures
from poolscope.compare import compare_runs
from poolscope.compare.judge import CANNOT_TELL, FEWER, LONGER, MORE, NO_CHANGE, SHORTER
from poolscope.compare.of_requests import ROUTES_COMPARED, RunRequests
from poolscope.compare.page import render
from poolscope.compare.quantity import QUANTITIES
from served_requests import served

SCATTER = (0.96, 1.0, 1.04)
PATHS = ("/fast", "/slow/17")


def side(folder, name, factor=1.0, **more):
    """Returns three captures of 40 requests; every second request takes three times as long as the others."""
    return [
        served(
            folder / f"{name}-{i}", [(30 if k % 2 == 0 else 90) * factor * own for k in range(40)], paths=PATHS, **more
        )
        for i, own in enumerate(SCATTER)
    ]


@pytest.fixture(scope="module")
def slower(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slower")
    return compare_captures(side(folder, "before"), side(folder, "after", 2.0))


def rows(found, route=None):
    return {
        r["key"]: r for r in found.to_json()["rows"] if r["group"] in ("requests", "routes") and r["route"] == route
    }


def test_latency_is_compared_by_the_run(slower):
    found = rows(slower)
    mean = found["request.mean"]
    geometric = math.prod(SCATTER) ** (1 / 3)
    assert mean["a_ms"] == pytest.approx(60 * geometric, rel=1e-5)
    assert mean["b_ms"] == pytest.approx(120 * geometric, rel=1e-5)
    low, high = mean["change_share"][1:]
    assert mean["verdict"] == LONGER and low < 1.0 < high
    # Welch's interval of the logarithms, with Student's t quantile at four degrees of freedom.
    logs = [math.log(own) for own in SCATTER]
    centre = sum(logs) / 3
    error = math.sqrt(2 * sum((x - centre) ** 2 for x in logs) / 2 / 3)
    assert math.log1p(high) == pytest.approx(math.log(2) + 2.776445 * error, rel=1e-4)
    assert [found[f"request.{name}"]["verdict"] for name in ("p50", "p90", "p99")] == [LONGER] * 3


def test_each_route_has_its_own_rows(slower):
    fast, slow = rows(slower, "/fast"), rows(slower, "/slow/{id}")
    assert list(fast) == list(slow) == ["request.mean", "request.p50", "request.p90", "request.p99"]
    assert fast["request.mean"]["http_method"] == "GET"
    assert slow["request.mean"]["a_ms"] == pytest.approx(3 * fast["request.mean"]["a_ms"], rel=1e-5)


def test_parts_of_the_latency_add_up_to_its_mean(slower):
    found = [r for r in slower.to_json()["rows"] if r["group"] == "request parts"]
    # No request awaited, was blocked or was suspended, so those rows are absent.
    assert {r["key"] for r in found} == {"request.unread", "request.cpu"}
    change = sum(r["change_ms"][0] for r in found)
    means = [sum(r.values["request.mean"] for r in runs) / 3 for runs in (slower.a, slower.b)]
    assert change == pytest.approx(means[1] - means[0], abs=1e-4)


def test_parts_of_a_route_add_up_to_its_mean(slower):
    found = [r for r in slower.to_json()["rows"] if r["group"] == "route parts"]
    # The requests waited 1.25 ms unread, in some runs at most a hundredth of the slow route's 90 ms.
    assert {(r["key"], r["route"]) for r in found} >= {("request.cpu", "/fast"), ("request.cpu", "/slow/{id}")}
    assert {r["key"] for r in found} <= {"request.unread", "request.cpu"}
    for route in ("/fast", "/slow/{id}"):
        own = sum(r["change_ms"][0] for r in found if r["route"] == route)
        mean = rows(slower, route)["request.mean"]
        assert own == pytest.approx(mean["b_ms"] - mean["a_ms"], rel=0.03)
        assert {r["verdict"] for r in found if r["route"] == route and r["key"] == "request.cpu"} == {LONGER}
    page = render(slower.to_json())
    assert "parts of the mean latency by route" in page and "running on a core, GET /slow/{id}" in page


def test_the_sentence_speaks_of_requests_after_items(slower):
    text = slower.to_json()["text"]
    assert "Requests take longer: mean latency +100 %" in text
    assert "The part of the latency that changed most is running on a core: +60 ms on average." in text


def test_the_share_that_was_answered_has_points(tmp_path):
    a = side(tmp_path, "before", unanswered=20, length=4000)
    found = compare_captures(a, side(tmp_path, "after", length=4000))
    answered = rows(found)["request.answered"]
    assert (answered["a_share"], answered["b_share"], answered["verdict"]) == (0.5, 1.0, MORE)
    assert answered["a_ms"] is None and answered["change_points"][0] == 0.5
    back = compare_captures(side(tmp_path, "again", length=4000), a)
    assert rows(back)["request.answered"]["verdict"] == FEWER


def test_lower_bounds_are_no_figures(tmp_path, capsys):
    a, b = side(tmp_path, "before", unanswered=20, length=4000), side(tmp_path, "after", length=4000)
    found = compare_captures(a, b)
    mean = rows(found)["request.mean"]
    assert mean["at_least"] == ["a"] and mean["verdict"] == SHORTER
    assert "mean latency from at least " in found.to_json()["text"]
    assert not [r for r in found.to_json()["rows"] if r["group"] == "request parts"]
    assert any("50 % of the requests had no answer" in note for note in found.notes())
    assert poolscope(["compare", *map(str, a), "--", *map(str, b)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("mean latency"))
    assert "\N{GREATER-THAN OR EQUAL TO}" in line and "\N{LESS-THAN OR EQUAL TO}" in line and " to " not in line
    assert "\N{LESS-THAN OR EQUAL TO}" in render(found.to_json())


def test_bounds_on_both_sides_tell_nothing(tmp_path):
    a, b = (side(tmp_path, name, unanswered=20, length=4000) for name in ("before", "after"))
    mean = rows(compare_captures(a, b))["request.mean"]
    assert mean["at_least"] == ["a", "b"] and mean["verdict"] == CANNOT_TELL
    assert "requests were still without an answer" in mean["reason"]


def test_data_that_nobody_read_counts_as_unanswered(tmp_path):
    found = compare_captures(side(tmp_path, "before", unread=40, length=4000), side(tmp_path, "after", length=4000))
    assert rows(found)["request.answered"]["a_share"] == 0.5
    assert [d.key for d in found.differs if d.key == "requests"] == ["requests"]


@pytest.mark.parametrize(
    "more, reason",
    [({"sockets": False}, "takes the kernel's socket events"), ({"untied": 10}, "only 30 of 40 requests")],
)
def test_a_capture_without_figures_says_why(tmp_path, capsys, more, reason):
    a, b = side(tmp_path, "before"), side(tmp_path, "after")
    b[1] = served(tmp_path / "poor", [30.0] * 40, **more)
    assert poolscope(["compare", "--json", *map(str, a), "--", *map(str, b)]) == 4
    said = capsys.readouterr()
    content = json.loads(said.out)
    found = [r for r in content["rows"] if r["key"].startswith("request.")]
    assert found and {r["verdict"] for r in found} == {CANNOT_TELL}
    assert all(r["a_ms"] is None and r["change_ms"] is None for r in found)
    assert all(r["reason"].startswith("poor: ") and reason in r["reason"] for r in found)
    assert "poor" in said.err
    # Items do not need the data that requests lack.
    assert next(r for r in content["rows"] if r["key"] == "wait.mean")["verdict"] != CANNOT_TELL


def test_requests_without_sockets_on_both_sides_are_a_note(tmp_path):
    a, b = (side(tmp_path, name, sockets=False) for name in ("before", "after"))
    found = compare_captures(a, b)
    assert [row.quantity for row in found.rows] == list(QUANTITIES) and found.insufficient == []
    assert any(note.startswith("Requests are not compared: ") for note in found.notes())


def test_redaction_takes_routes(slower, tmp_path, capsys):
    from poolscope.redact import redact

    text = json.dumps(redact(slower.to_json()))
    assert "/slow" not in text and "/fast" not in text and "route-1" in text


def of_requests(values, routes=(("GET", "/a"),), **changed):
    """Returns a run with these requests' figures."""
    routes = {route: 1000.0 - i for i, route in enumerate(routes)}
    told = {f"request.{s}": 100.0 for s in ("mean", "p50", "p90", "p99")} | {"request.answered": 1.0}
    told |= {
        f"{key} {' '.join(route)}": told[key] for route in routes for key in list(told) if "." in key and " " not in key
    }
    told |= values
    requests = RunRequests(
        count=100, tied=100, answered=100, waiting=0, unknown=None, values=told, at_least=frozenset(),
        unanswered="no parts", routes=routes, spread={},
    )  # fmt: skip
    return run(told, requests=requests, **changed)


def test_single_runs_of_requests_take_more_than_those_of_items():
    def verdict(level, key):
        made = [of_requests({key: ms}) for ms in (100.0, level)]
        return compare_runs(made[:1], made[1:]).row(key).verdict

    # Twice as long exceeds the usual difference of items between runs, but not that of requests.
    assert verdict(200.0, "wait.mean") == LONGER and verdict(200.0, "request.mean") == CANNOT_TELL
    assert verdict(2000.0, "request.mean") == LONGER


def test_single_runs_in_which_all_were_answered_agree():
    made = [of_requests({"request.answered": share}) for share in (1.0, 1.0, 0.1)]
    assert compare_runs(made[:1], made[1:2]).row("request.answered").verdict == NO_CHANGE
    assert compare_runs(made[:1], made[2:]).row("request.answered").verdict == FEWER


def test_routes_are_those_of_every_run_and_few():
    both = [("GET", f"/{i}") for i in range(10)]
    a = [of_requests({}, routes=[*both, ("GET", "/old")]) for _ in range(3)]
    b = [of_requests({}, routes=[("GET", "/new"), *both]) for _ in range(3)]
    found = dict.fromkeys(row.quantity.route for row in compare_runs(a, b).rows if row.quantity.route)
    assert list(found) == both[:ROUTES_COMPARED]


def test_one_route_is_not_told_twice():
    a, b = ([of_requests({}) for _ in range(3)] for _ in range(2))
    assert not [row for row in compare_runs(a, b).rows if row.quantity.route]


def test_the_page_says_what_the_table_says(slower):
    page = render(slower.to_json())
    body = page[: page.index('<script type="application/json"')]
    assert "share answered" in body and "mean latency, GET /slow/{id}" in body
    assert "40 of 40" in body
