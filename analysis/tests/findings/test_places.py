"""The place of late requests while work items start on time, and late requests without a place. Times are ms."""

import pytest
from late_captures import downloads, fired, held, polled, resumed, working
from poolscope.product import analyse
from service import web_service
from synthetic import MS, CaptureBuilder


@pytest.mark.parametrize(
    ("made", "most"),
    [
        (lambda folder: held(folder), ("held", ".NET Sockets", None)),
        (lambda folder: working(folder), ("blocked", None, None)),
        (
            lambda folder: web_service(folder, [20] * 30 + [1500] * 2 + [20] * 10, remote="db:5432"),
            ("service", None, "db:5432"),
        ),
        (lambda folder: polled(folder, silent=1550), ("silent", None, "10.0.0.9:6379")),
        (lambda folder: downloads(folder), ("client", None, None)),
        (lambda folder: resumed(folder, ".NET Timer"), ("timer", None, None)),
        (lambda folder: resumed(folder, "Reader"), ("thread", "Reader", None)),
    ],
    ids=["held", "blocked", "service", "silent", "client", "timer", "thread"],
)
def test_the_places_of_late_requests_add_up_and_the_verdict_s_is_the_first(tmp_path, made, most):
    late = analyse(made(tmp_path).write()).to_json()["requests"]["late"]
    assert sum(place["ms"] for place in late["places"]) == pytest.approx(late["total_ms"], abs=1e-3)
    first = late["places"][0]
    assert (first["place"], first["thread"], first["endpoint"]) == most
    assert first["ms"] >= 0.5 * late["total_ms"]
    spells = late["spells"]
    assert sum(spell["count"] for spell in spells) == late["count"]
    assert max(spell["longest_ms"] for spell in spells) == late["longest_ms"]
    assert all(one["end_s"] < other["start_s"] for one, other in zip(spells, spells[1:]))


def test_a_late_request_without_a_place_is_not_healthy(tmp_path):
    """No network call asked for its answer, and nothing else explains that time."""
    builder = web_service(tmp_path, [20] * 30 + [1500] * 2 + [20] * 10)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    _, verdict = fired(builder)
    assert verdict.id == "cannot-tell"
    assert "Cannot tell why 2 of 42 requests were late" in verdict.text and "not the thread pool" in verdict.text


def test_long_requests_of_a_route_with_few_are_neither_late_nor_quite_healthy(tmp_path):
    """Nothing shows the usual time of their route."""
    builder = web_service(tmp_path, [1500] * 2 + [20] * 4)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("healthy", "medium")
    assert any("2 requests took up to 1.51 s, on routes with too few others" in reason for reason in verdict.reasons)


def test_where_much_data_cannot_be_followed_to_its_read_healthy_is_not_certain(tmp_path):
    builder = web_service(tmp_path, [20] * 10)
    assert fired(builder)[1].confidence == "high"
    builder = web_service(tmp_path / "again", [20] * 10)
    arrived = next(row for row in builder.rows["socket_io"] if row["bytes"] == 88)
    builder.rows["socket_io"].append({**arrived, "time": arrived["time"] + MS})
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("healthy", "medium")
    assert any("lay unread is not known" in reason for reason in verdict.reasons)


def test_late_requests_that_awaited_another_service_name_it(tmp_path):
    _, verdict = fired(web_service(tmp_path, [20] * 30 + [1500] * 2 + [20] * 10, remote="10.0.0.9:5432"))
    assert verdict.id == "slow-service" and "they awaited answers of 10.0.0.9:5432" in verdict.text


@pytest.mark.parametrize("what", ["activities", "calls"])
def test_late_activities_or_calls_of_a_process_without_requests_are_not_healthy(tmp_path, what):
    builder = CaptureBuilder(tmp_path, length=9000 * MS)
    for n in range(40):
        at, took = 10 + 100 * n, 1500 if n in (10, 20) else 20
        builder.item(at * MS, at * MS, (at + 1) * MS, 200 + n, [("running", MS)])
        if what == "calls":
            builder.call(at * MS, (at + took) * MS, path=f"/prices/{n}")
        else:
            builder.activity(at * MS, (at + took) * MS, name=f"price {n}")
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert verdict.text.startswith(f"Cannot tell why 2 of 40 {what} were late, up to 1.5 s")
