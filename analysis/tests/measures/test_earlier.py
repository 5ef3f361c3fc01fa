"""Requests and calls under way when the recording began: counted, with their minimum latencies. Times are ms."""

from typing import Any

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.attribution.causes.socket_io import ARRIVED
from poolscope.capture.schema import enum
from poolscope.measures.calls import measure_calls
from poolscope.measures.earlier import find_earlier_calls
from poolscope.measures.requests import measure_requests, split_requests
from poolscope.product import analyse
from poolscope.report import render
from poolscope.report.sections.calls import calls_words
from poolscope.report.sections.requests import coverage_words
from poolscope.whatif.requests import follow_requests
from service import web_service
from synthetic import BASE, MS, CaptureBuilder

EPOLL, FIRST, SECOND = 90, 1, 2


def attached(folder, length=500):
    builder = CaptureBuilder(folder, length=length * MS).thread(EPOLL, 100, ".NET Sockets")
    builder.manifest["target"]["launched"] = False
    return builder


def item(builder, enqueue, dequeue, end, worker, by=EPOLL):
    queued = enqueue * MS if enqueue >= 0 else -1
    busy = [("running", (end - dequeue) * MS)]
    return builder.item(queued, dequeue * MS, end * MS, worker, busy, enqueue_tid=by)


def measured(builder):
    capture = builder.write()
    attribution = attribute(capture)
    requests = measure_requests(capture, attribution)
    return requests, split_requests(requests, attribution) if requests.whole.any() else None


def unread_request(folder, unread_at=5, **connection):
    """Adds a request whose bytes are read at 112 and that is answered at 130."""
    builder = attached(folder)
    item(builder, 100, 110, 113, FIRST)
    item(builder, 112, 114, 140, SECOND, by=FIRST)
    transfers = [(112 * MS, "read", 50, FIRST), (130 * MS, "sent", 9, SECOND)]
    builder.connection(*transfers, unread_at=unread_at * MS if unread_at >= 0 else -1, **connection)
    return builder.request(115 * MS, SECOND, 129 * MS, SECOND)


def test_bytes_that_lay_unread_when_the_recording_began_tie_their_request(tmp_path):
    requests, parts = measured(unread_request(tmp_path))
    assert requests.tied.tolist() == [True] and requests.early.tolist() == [True]
    assert requests.latency.tolist() == [125 * MS] and requests.at_least.tolist() == [True]
    assert requests.unanswered.tolist() == [False] and requests.arrived_at.tolist() == [-1]
    assert parts.part["unread"].tolist() == [107 * MS] and parts.latency.tolist() == [125 * MS]


def test_unread_data_that_nobody_saw_ties_nothing(tmp_path):
    requests, _ = measured(unread_request(tmp_path, unread_at=-1))
    assert not requests.tied.any() and len(requests.latency) == 0


def test_what_comes_after_the_unread_data_is_no_part_of_it(tmp_path):
    """The connection's second request has its own arrival, which counting the bytes finds."""
    builder = unread_request(tmp_path)
    item(builder, 200, 210, 240, FIRST)
    more: list[Any] = [(200, "arrived", 60), (203, "read", 0, FIRST), (211, "read", 60, FIRST), (230, "sent", 9, FIRST)]
    for time, direction, size, *tid in more:
        said = {"time": time * MS, "socket": 0, "direction": enum("socket_io", "direction", direction)}
        builder.rows["socket_io"].append({**said, "bytes": size, "tid": tid[0] if tid else -1})
    builder.request(212 * MS, FIRST, 229 * MS, FIRST)
    requests, _ = measured(builder)
    assert requests.early.tolist() == [True, False]
    assert (requests.answered - requests.arrived).tolist() == [125 * MS, 30 * MS]


def test_unread_data_that_nobody_reads_waits_to_the_end(tmp_path):
    builder = unread_request(tmp_path)
    builder.connection(unread_at=7 * MS)
    builder.connection(unread_at=9 * MS, role="connected")
    builder.connection(unread_at=9 * MS)
    builder.rows["sockets"][-1]["local"] = "127.0.0.1:81"
    requests, _ = measured(builder)
    assert requests.not_begun.tolist() == [7 * MS] and requests.arrived_at.tolist() == [-1, -1]
    assert requests.latency.tolist() == [125 * MS, requests.stop - 7 * MS]


def test_a_request_in_an_item_from_before_the_recording_had_arrived_by_then(tmp_path):
    builder = attached(tmp_path)
    item(builder, -1, 300, 340, FIRST)
    builder.connection((400 * MS, "sent", 9, FIRST), role="connected")
    builder.request(301 * MS, FIRST, 330 * MS, FIRST)
    requests, _ = measured(builder)
    assert not requests.tied.any() and requests.before_end.tolist() == [330 * MS]
    assert requests.latency.tolist() == [330 * MS] and requests.at_least.tolist() == [True]


def test_a_request_that_reads_in_such_an_item_is_tied_to_what_it_reads(tmp_path):
    builder = attached(tmp_path)
    item(builder, -1, 300, 340, FIRST)
    builder.connection((250 * MS, "arrived", 50), (310 * MS, "read", 50, FIRST), (330 * MS, "sent", 9, FIRST))
    builder.request(311 * MS, FIRST, 330 * MS, FIRST)
    requests, _ = measured(builder)
    assert requests.early.tolist() == [False] and len(requests.before_end) == 0
    assert requests.latency.tolist() == [80 * MS] and requests.at_least.tolist() == [False]


def test_ends_of_requests_from_before_the_recording_count(tmp_path):
    builder = item(attached(tmp_path), 5, 6, 10, FIRST)
    builder.earlier_request(120 * MS).earlier_request(450 * MS)
    analysis = analyse(builder.write()).to_json()
    requests = analysis["requests"]
    assert (requests["count"], requests["earlier"]["count"]) == (0, 2)
    assert requests["earlier"]["latency_ms"]["max"] == 450 and "max" in requests["earlier"]["latency_ms"]["at_least"]
    assert "earlier" not in str(analysis["calls"])
    assert 'id="requests"' in render(analysis)


def test_after_a_loss_an_end_without_a_beginning_says_nothing(tmp_path):
    builder = item(attached(tmp_path), 5, 6, 10, FIRST)
    builder.earlier_request(120 * MS).earlier_request(450 * MS).earlier_call(130 * MS).earlier_call(460 * MS)
    lost: dict[str, Any] = {"stream": "runtime.nettrace", "start": 200 * MS, "end": 210 * MS, "count": 3}
    builder.rows["losses"].append({**lost, "what": enum("losses", "what", "eventpipe_lost")})
    capture = builder.write()
    assert measure_requests(capture, attribute(capture)).before_end.tolist() == [120 * MS]
    assert find_earlier_calls(capture).answered.tolist() == [130 * MS]


def test_the_page_says_how_many_had_arrived_before_and_of_how_many_nothing_is_told(tmp_path):
    builder = unread_request(tmp_path).earlier_request(300 * MS)
    for _ in range(2):
        builder.connection()
    builder.connection((400 * MS, "sent", 9, FIRST))
    builder.connection((400 * MS, "arrived", 50))
    analysis = analyse(builder.write()).to_json()
    requests = analysis["requests"]
    # One of the three connections belongs to the earlier request.
    assert (requests["earlier"]["count"], requests["silent"]) == (2, 2)
    said = coverage_words(requests)
    assert "2 requests had arrived before the recording" in said and "2 other connections" in said
    assert requests["worst"][0]["at_least"]
    page = render(analysis)
    assert "Its last byte had arrived before the recording." in page


def test_calls_from_before_the_recording_took_at_least_so_long(tmp_path):
    builder = item(attached(tmp_path), 5, 6, 10, FIRST)
    builder.connection((99 * MS, "read", 10, FIRST), role="connected")
    builder.earlier_call(100 * MS, FIRST).earlier_call(400 * MS, SECOND, 503)
    capture = builder.write()
    earlier = find_earlier_calls(capture)
    assert earlier.answered.tolist() == [100 * MS, 400 * MS] and earlier.status.tolist() == [200, 503]
    assert earlier.endpoint.tolist() == ["127.0.0.1:9", None]
    calls = analyse(capture).to_json()["calls"]
    assert calls["count"] == 0 and calls["earlier"]["count"] == 2
    assert [(row["endpoint"], row["calls"]) for row in calls["earlier"]["endpoints"]] == [
        ("unknown", 1),
        ("127.0.0.1:9", 1),
    ]
    assert "1 by 127.0.0.1:9 after up to 100 ms" in calls_words(calls).replace("\N{NO-BREAK SPACE}", " ")
    assert calls_words(calls).startswith(
        "2 calls through HttpClient had begun before the recording and got an answer in it"
    )


def test_a_call_whose_end_is_not_told_is_not_open_and_has_no_latency(tmp_path):
    builder = item(attached(tmp_path), 5, 6, 10, FIRST).call(10 * MS, 60 * MS).call(20 * MS)
    builder.call(30 * MS, outcome="untold")
    builder.rows["calls"][-1]["outcome"] = enum("calls", "outcome", "untold")
    capture = builder.write()
    calls = measure_calls(capture, attribute(capture).items)
    assert calls.open.tolist() == [False, True, False] and calls.untold.tolist() == [False, False, True]
    told = analyse(capture).to_json()["calls"]
    assert (told["open"], told["untold"]) == (1, 1)
    assert told["latency_ms"]["mean"] == pytest.approx((50 + 480) / 2)
    assert "1 have no known end" in calls_words(told) or "have no known end" in calls_words(told)


def test_no_prediction_follows_a_request_from_before(tmp_path):
    builder = web_service(tmp_path, [40] * 12)
    for row in builder.rows["sockets"][:4:2]:
        row["unread_at"] = 5 * MS
    arrivals = [row for row in builder.rows["socket_io"] if row["socket"] in (0, 2) and row["direction"] == ARRIVED]
    builder.rows["socket_io"] = [row for row in builder.rows["socket_io"] if row not in arrivals]
    capture = builder.write()
    attribution = attribute(capture)
    requests = measure_requests(capture, attribution)
    assert requests.early.sum() == 2
    followed = follow_requests(capture, attribution, requests)
    assert (len(followed.arrived), followed.before) == (10, 2)
    what_if = analyse(capture).to_json()["what_if"]
    assert "2 of 12 had arrived before the recording" in what_if["requests"]["why_not"]


def test_times_on_the_clock_are_those_of_the_window(tmp_path):
    capture = unread_request(tmp_path).write()
    assert capture.window[0] == BASE
    assert np.array_equal(capture.table("sockets")["unread_at"], [BASE + 5 * MS])
