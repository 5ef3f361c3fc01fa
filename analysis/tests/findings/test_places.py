"""Where late requests were while work items start on time: places, and the thread that alone reads. Times are ms."""

import pytest
from late_captures import READER, downloads, fired, held, polled, resumed, working
from poolscope.product import analyse
from service import web_service
from synthetic import MS


@pytest.mark.fires("reader-held")
def test_a_thread_that_alone_reads_and_is_elsewhere_is_named_with_its_method(tmp_path):
    found, verdict = fired(held(tmp_path))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert f"thread {READER} (.NET Sockets), which reads it, was in App.Bid" in verdict.text
    assert "INLINE_COMPLETIONS" in found["reader-held"].advice[0]


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


def test_what_held_up_most_requests_is_found_although_it_raises_their_median(tmp_path):
    found, verdict = fired(held(tmp_path, quick=3, often=8))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert verdict.text.startswith("8 of 11 requests were late while data lay unread for up to 1.5 s")
    assert "lying unread" not in verdict.text
    assert len(found["healthy"].advice) == 0, "no reader of a place is sent elsewhere"


@pytest.mark.quiet("reader-held")
@pytest.mark.parametrize("took", [[20] * 40, [20] * 20 + [1500] * 2 + [20] * 20])
def test_data_that_is_read_at_once_was_held_by_nobody(tmp_path, took):
    assert "reader-held" not in fired(web_service(tmp_path, took))[0]


def test_a_late_request_without_a_place_is_not_healthy(tmp_path):
    """Its answer was not asked for over the network, nor is anything else known of that time."""
    builder = web_service(tmp_path, [20] * 30 + [1500] * 2 + [20] * 10)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    _, verdict = fired(builder)
    assert verdict.id == "cannot-tell"
    assert "Cannot tell why 2 of 42 requests were late" in verdict.text and "not the thread pool" in verdict.text


def test_long_requests_of_a_route_with_few_are_neither_late_nor_quite_healthy(tmp_path):
    """Nothing says what their route usually takes."""
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
