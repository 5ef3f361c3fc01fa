"""The wait of a call for a connection: for one being made, for another call, or for a thread of the pool."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.measures.calls import find_connection_limits, measure_calls
from synthetic import MS, CaptureBuilder

WORKER = 200


def measured(builder):
    capture = builder.write()
    calls = measure_calls(capture, attribute(capture).items)
    waited = capture.table("calls")["queue_wait"].clip(lower=0).to_numpy()
    assert np.array_equal(calls.making + calls.held + calls.dispatch, waited)
    return calls


def waits(calls):
    return [[int(part[row]) // MS for part in (calls.making, calls.held, calls.dispatch)] for row in range(calls.count)]


def builder(folder):
    return CaptureBuilder(folder, length=1000 * MS)


def test_a_capture_without_calls_has_none(tmp_path):
    capture = builder(tmp_path).item(0, MS, 2 * MS, WORKER, [("running", MS)]).write()
    assert measure_calls(capture, attribute(capture).items) is None


def test_a_call_that_finds_a_free_connection_waits_for_nothing(tmp_path):
    calls = measured(builder(tmp_path).call(10 * MS, 60 * MS, connection=1))
    assert waits(calls) == [[0, 0, 0]]
    assert calls.latency.tolist() == [50 * MS] and calls.endpoint.tolist() == ["shop:443"]


def test_until_another_call_gives_its_connection_back_the_wait_is_held_and_then_the_pool_s(tmp_path):
    # The call that returned the connection queued the continuation at 50 ms; a worker took it at 80 ms.
    with_item = builder(tmp_path).item(50 * MS, 80 * MS, 90 * MS, WORKER, [("running", 10 * MS)])
    calls = measured(with_item.call(10 * MS, 99 * MS, waited=70 * MS, taken=(80 * MS, WORKER), connection=1))
    assert waits(calls) == [[0, 40, 30]]
    assert calls.queued.tolist() == [40 * MS]


def test_while_its_connection_is_made_it_waits_for_no_other_call(tmp_path):
    call = {"waited": 70 * MS, "taken": (80 * MS, WORKER), "connection": 1}
    calls = measured(builder(tmp_path / "at-once").call(10 * MS, 99 * MS, made=80 * MS, **call))
    assert waits(calls) == [[70, 0, 0]]
    calls = measured(builder(tmp_path / "others-first").call(10 * MS, 99 * MS, made=30 * MS, **call))
    assert waits(calls) == [[20, 50, 0]]


def test_a_call_that_got_no_connection_is_not_said_to_have_waited_for_another(tmp_path):
    calls = measured(
        builder(tmp_path).call(10 * MS, 90 * MS, waited=80 * MS, taken=(90 * MS, WORKER), outcome="failed", sent=-1)
    )
    assert waits(calls)[0][0] + waits(calls)[0][1] == 80 and waits(calls)[0][1] == 0
    assert calls.failed.tolist() == [True]


def test_a_blocked_thread_goes_on_in_the_item_in_which_it_blocked(tmp_path):
    blocked = builder(tmp_path).item(0, 5 * MS, 99 * MS, WORKER, [("blocked", 94 * MS)])
    calls = measured(blocked.call(10 * MS, 98 * MS, waited=70 * MS, taken=(80 * MS, WORKER), connection=1))
    assert waits(calls) == [[0, 70, 0]]


def test_an_item_that_ended_before_says_nothing(tmp_path):
    ended = builder(tmp_path).item(50 * MS, 60 * MS, 70 * MS, WORKER, [("running", 10 * MS)])
    calls = measured(ended.call(10 * MS, 98 * MS, waited=70 * MS, taken=(80 * MS, WORKER), connection=1))
    assert waits(calls) == [[0, 70, 0]]


def test_an_open_call_lasts_at_least_until_the_end(tmp_path):
    calls = measured(builder(tmp_path).call(900 * MS).call(910 * MS, 920 * MS, host="::1", port=80))
    assert calls.latency.tolist() == [100 * MS, 10 * MS] and calls.open.tolist() == [True, False]
    assert calls.endpoint.tolist() == ["shop:443", "[::1]:80"]


def turns(folder, *, connections, callers, ms=10, rounds=20, made_at=lambda connection: -1, protocol="HTTP/1.1"):
    """Builds callers that share this many connections in turn; each call keeps one for `ms`. At the limit the other
    callers wait."""
    made = builder(folder)
    free = [0] * connections
    begun = [0] * callers
    for turn in range(rounds * callers):
        caller = turn % callers
        connection = int(np.argmin(free))
        start, at = begun[caller], max(free[connection], begun[caller])
        free[connection] = begun[caller] = at + ms * MS
        more = {"waited": at - start, "taken": (at, WORKER)} if at > start else {}
        more |= {"connection": connection, "made": made_at(connection), "protocol": protocol}
        made.call(start, at + ms * MS, tid=caller, **more)
    return made


def test_a_limit_is_seen_where_calls_wait_for_each_other_and_no_connection_is_added(tmp_path):
    calls = measured(turns(tmp_path, connections=2, callers=6))
    (limit,) = find_connection_limits(calls)
    assert (limit.endpoint, limit.connections, limit.calls) == ("shop:443", 2, 120)
    assert np.array_equal(calls.held[limit.waited], limit.held)
    # Two of six are served while four wait.
    assert limit.share == pytest.approx(4 / 6, abs=0.02)


def test_enough_connections_are_no_limit(tmp_path):
    assert find_connection_limits(measured(turns(tmp_path, connections=6, callers=6))) == []


def test_connections_that_are_still_being_added_are_no_limit(tmp_path):
    growing = turns(
        tmp_path, connections=8, callers=24, ms=30, rounds=8, made_at=lambda connection: 40 * MS * connection
    )
    assert measured(growing).held.sum() > 0
    assert find_connection_limits(measured(growing)) == []


def test_of_http_2_it_is_not_known_what_bounds_the_streams(tmp_path):
    assert find_connection_limits(measured(turns(tmp_path, connections=2, callers=6, protocol="HTTP/2"))) == []
