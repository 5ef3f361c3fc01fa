"""Requests from the wire to the answer, on captures written by hand. Times are ms."""

from __future__ import annotations

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.measures.requests import measure_requests, split_requests
from poolscope.measures.requests.tiles import SHARED
from poolscope.product.requests import KINDS
from synthetic import MS, CaptureBuilder

EPOLL, FIRST, SECOND, TIMERS = 90, 1, 2, 91


def _capture(tmp_path, length=1000):
    return CaptureBuilder(tmp_path, length=length * MS).thread(EPOLL, 100, ".NET Sockets")


def _item(builder, enqueue, dequeue, end, worker, by=EPOLL):
    """An item that is on a core all the time."""
    return builder.item(
        enqueue * MS, dequeue * MS, end * MS, worker, [("running", (end - dequeue) * MS)], enqueue_tid=by
    )


def _connection(builder, *transfers, role="accepted"):
    return builder.connection(*((int(time * MS), *rest) for time, *rest in transfers), role=role)


def _request(builder, start, tid, left=-1, left_tid=-1, **more):
    return builder.request(int(start * MS), tid, int(left * MS) if left >= 0 else -1, left_tid, **more)


def _measured(builder):
    capture = builder.write()
    attribution = attribute(capture)
    requests = measure_requests(capture, attribution)
    return requests, split_requests(requests, attribution)


def _story(requests, row=0):
    tiles = requests.tiles.where(requests.tiles.request == row)
    order = np.argsort(tiles.start, kind="stable")
    said: list = []
    for at in order:
        what = KINDS[int(tiles.kind[at])]
        start, end = tiles.start[at] / MS, tiles.end[at] / MS
        if said and said[-1][0] == what and said[-1][2] == start:
            said[-1] = (what, said[-1][1], end)
        else:
            said.append((what, start, end))
    return said


def _exact(requests, parts):
    """Parts and causes add up, and the stretches follow each other without a gap."""
    assert np.array_equal(parts.latency, (requests.answered - requests.arrived)[requests.whole])
    assert np.array_equal(sum(parts.cause.values()), parts.part["unread"] + parts.part["queued"])
    assert min(part.min() for part in (*parts.part.values(), *parts.cause.values())) >= 0
    order = np.lexsort((requests.tiles.start, requests.tiles.request))
    tiles = requests.tiles
    same = tiles.request[order][1:] == tiles.request[order][:-1]
    assert np.array_equal(tiles.start[order][1:][same], tiles.end[order][:-1][same])


def test_a_request_that_computes(tmp_path):
    builder = _capture(tmp_path)
    _item(builder, 12, 20, 24, FIRST)  # reads at 22, queues the server's item
    _item(builder, 23, 30, 50, SECOND, by=FIRST)  # begins at 31, leaves at 48
    _item(builder, 47, 60, 70, FIRST, by=SECOND)  # sends at 65
    _connection(builder, (10, "arrived", 50), (22, "read", 50, FIRST), (65, "sent", 100, FIRST))
    _request(builder, 31, SECOND, 48, SECOND)

    requests, parts = _measured(builder)

    assert _story(requests) == [
        ("unread", 10, 22),
        ("executed", 22, 23),
        ("queued", 23, 30),
        ("executed", 30, 48),
        ("queued", 48, 60),
        ("executed", 60, 65),
    ]
    _exact(requests, parts)
    assert parts.part["unread"][0] == 12 * MS and parts.part["queued"][0] == 19 * MS
    assert parts.part["cpu"][0] == 24 * MS
    # Of the 12 ms in the socket 8 were those of the item that read it in the queue.
    assert parts.cause["other"][0] == 4 * MS


def test_an_awaited_service_ends_with_the_end_of_its_stream(tmp_path):
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, sends to the service at 18
    _item(builder, 101, 102, 104, FIRST)  # reads the data, and waits for more
    _item(builder, 105, 110, 130, SECOND)  # reads the end, leaves at 120
    _item(builder, 119, 125, 140, FIRST, by=SECOND)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (135, "sent", 100, FIRST))
    _connection(
        builder,
        (18, "sent", 54, SECOND),
        (100, "arrived", 88),
        (103, "read", 88, FIRST),
        (104, "ended", 0),
        (112, "end_read", 0, SECOND),
        role="connected",
    )
    _request(builder, 15, SECOND, 120, SECOND)

    requests, parts = _measured(builder)

    assert _story(requests) == [
        ("unread", 9, 12),
        ("queued", 12, 14),
        ("executed", 14, 18),
        ("service", 18, 104),
        ("unread", 104, 105),
        ("queued", 105, 110),
        ("executed", 110, 120),
        ("queued", 120, 125),
        ("executed", 125, 135),
    ]
    _exact(requests, parts)


def test_a_blocking_call_is_the_service_s_time_and_not_blocked(tmp_path):
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    builder.item(
        12 * MS,
        14 * MS,
        120 * MS,
        SECOND,
        [("running", 4 * MS), ("blocked", 83 * MS), ("running", 19 * MS)],
        enqueue_tid=FIRST,
    )
    _item(builder, 114, 116, 120, FIRST, by=SECOND)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (118, "sent", 100, FIRST))
    _connection(builder, (18, "sent", 54, SECOND), (100, "arrived", 88), (101, "read", 88, SECOND), role="connected")
    _request(builder, 15, SECOND, 115, SECOND)

    requests, parts = _measured(builder)

    assert parts.part["services"][0] == 82 * MS
    assert parts.part["blocked"][0] == 1 * MS
    _exact(requests, parts)


def test_an_item_that_sends_for_several_requests_is_met_where_each_left(tmp_path):
    builder = _capture(tmp_path)
    for at, worker in ((10, FIRST), (20, FIRST)):
        _item(builder, at, at + 1, at + 3, worker)
        _item(builder, at + 2, at + 4, at + 8, SECOND, by=worker)
    _item(builder, 16, 50, 60, FIRST, by=SECOND)  # queued by the first request, sends both answers
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (55, "sent", 10, FIRST))
    _connection(builder, (19, "arrived", 50), (22, "read", 50, FIRST), (58, "sent", 10, FIRST))
    _request(builder, 15, SECOND, 17, SECOND, connection="C1")
    _request(builder, 25, SECOND, 27, SECOND, connection="C2")

    requests, parts = _measured(builder)

    assert _story(requests, 0)[-2:] == [("queued", 17, 50), ("executed", 50, 55)]
    assert _story(requests, 1)[-2:] == [("queued", 27, 50), ("executed", 50, 58)]
    _exact(requests, parts)


def test_an_answer_that_goes_out_with_another_s_before_its_request_left_was_written_where_that_ran(tmp_path):
    """The answers of a service to both come together; what the first flushes takes the head of the second's answer with it."""
    builder = _capture(tmp_path)
    third, sender = 3, 4
    for at, socket in ((10, "C1"), (20, "C2")):
        _item(builder, at, at + 1, at + 6, FIRST)
        _request(builder, at + 3, FIRST, *((106, SECOND) if socket == "C1" else (118, third)), connection=socket)
    _item(builder, 100, 101, 108, SECOND)
    _item(builder, 100, 101, 120, third)
    _item(builder, 103, 105, 115, sender, by=SECOND)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (107, "sent", 10, sender))
    _connection(
        builder, (19, "arrived", 50), (22, "read", 50, FIRST), (110, "sent", 10, sender), (119, "sent", 5, third)
    )
    for asked, reader in ((14, SECOND), (24, third)):
        _connection(builder, (asked, "sent", 5, FIRST), (99, "arrived", 9), (102, "read", 9, reader), role="connected")

    requests, parts = _measured(builder)

    assert _story(requests, 1) == [
        ("unread", 19, 22),
        ("executed", 22, 24),
        ("service", 24, 99),
        ("unread", 99, 100),
        ("queued", 100, 101),
        ("executed", 101, 110),
    ]
    _exact(requests, parts)


@pytest.mark.parametrize(("thread", "kind"), [(".NET Timer", "timer"), ("Rdkafka", "thread")])
def test_what_a_timer_ended_is_told_from_what_a_client_s_thread_ended(tmp_path, thread, kind):
    builder = _capture(tmp_path).thread(TIMERS, 100, thread)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, awaits
    _item(builder, 220, 250, 270, FIRST, by=TIMERS)  # sends at 260
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (260, "sent", 100, FIRST))
    _request(builder, 15, SECOND, 258, FIRST)

    requests, parts = _measured(builder)

    assert _story(requests)[-3:] == [(kind, 20, 220), ("queued", 220, 250), ("executed", 250, 260)]
    _exact(requests, parts)
    assert parts.part[kind][0] == 200 * MS


def test_an_answer_that_lay_until_an_item_was_there_to_read_it_was_in_the_queue(tmp_path):
    """The socket engine's item waits for a worker, and queues the next one of its kind before that reads."""
    reader = 3
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, asks a service at 18
    _item(builder, 102, 150, 152, FIRST)  # the engine's
    _item(builder, 151, 180, 200, reader, by=FIRST)  # reads at 185, sends at 190
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (190, "sent", 100, reader))
    _connection(builder, (18, "sent", 54, SECOND), (100, "arrived", 88), (185, "read", 88, reader), role="connected")
    _request(builder, 15, SECOND, 188, reader)

    requests, parts = _measured(builder)

    assert _story(requests)[-6:] == [
        ("service", 18, 100),
        ("unread", 100, 102),
        ("queued", 102, 150),
        ("executed", 150, 151),
        ("queued", 151, 180),
        ("executed", 180, 190),
    ]
    _exact(requests, parts)


def test_an_answer_that_is_sent_by_what_its_own_item_led_to_waited_in_the_queue(tmp_path):
    """Over HTTP/2 an item of the connection hands frames to the one that sends them."""
    writer, sender = 3, 4
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 40, SECOND, by=FIRST)  # begins at 15, leaves at 38
    _item(builder, 39, 80, 82, writer, by=SECOND)
    _item(builder, 81, 90, 99, sender, by=writer)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (95, "sent", 100, sender))
    _request(builder, 15, SECOND, 38, SECOND)

    requests, parts = _measured(builder)

    assert _story(requests)[-5:] == [
        ("executed", 14, 40),
        ("queued", 40, 80),
        ("executed", 80, 81),
        ("queued", 81, 90),
        ("executed", 90, 95),
    ]
    _exact(requests, parts)
    assert not parts.part["other"].any()


def test_what_asked_and_went_on_before_the_answer_was_read_was_at_work_and_not_waiting(tmp_path):
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(
        builder, 12, 14, 90, SECOND, by=FIRST
    )  # begins at 15, asks at 18, checks something, and queues the read at 88
    _item(builder, 88, 92, 110, FIRST, by=SECOND)  # reads at 93, sends at 100
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (100, "sent", 100, FIRST))
    _connection(builder, (18, "sent", 54, SECOND), (30, "arrived", 88), (93, "read", 88, FIRST), role="connected")
    _request(builder, 15, SECOND, 98, FIRST)

    requests, parts = _measured(builder)

    assert _story(requests)[-4:] == [
        ("service", 18, 30),
        ("executed", 30, 88),
        ("queued", 88, 92),
        ("executed", 92, 100),
    ]
    _exact(requests, parts)


@pytest.mark.parametrize(("between", "kind"), [(False, "shared"), (True, "other")])
def test_what_data_on_a_shared_connection_ended_is_told_from_a_driver_s_own(tmp_path, between, kind):
    other = 3
    builder = _capture(tmp_path)
    _item(builder, 1, 2, 8, other)  # asks the cache for something else at 5, and at 30
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, awaits what another item asks for
    _item(builder, 29, 29.5, 40, other)
    _item(builder, 200, 204, 230, FIRST)  # reads the cache's data at 206, sends the answer at 220
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (220, "sent", 100, FIRST))
    _connection(
        builder,
        (5, "sent", 20, other),
        *([(7, "arrived", 20), (7.5, "read", 20, other)] if between else []),
        (12.5, "sent", 20, FIRST),
        (199, "arrived", 40),
        (206, "read", 40, FIRST),
        role="connected",
    )
    _request(builder, 15, SECOND, 215, FIRST)

    requests, parts = _measured(builder)

    story = _story(requests)
    _exact(requests, parts)
    end = 199 if kind == "shared" else 206
    assert (kind, 20, end) in story
    if kind == "shared":
        assert story[-2:] == [("queued", 200, 204), ("executed", 204, 220)]
        assert requests.remote[requests.tiles.socket[requests.tiles.kind == SHARED]].tolist() == ["127.0.0.1:9"]


def test_the_next_request_of_a_connection_is_tied_by_the_connection(tmp_path):
    """Its bytes had been read with the first one's: no chain of items leads to them."""
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 60, SECOND, by=FIRST)  # both requests, one after the other
    _connection(
        builder,
        (9, "arrived", 100),
        (12, "read", 100, FIRST),
        (25, "sent", 10, SECOND),
        (45, "sent", 10, SECOND),
    )
    _request(builder, 15, SECOND, 24, SECOND)
    _request(builder, 35, SECOND, 44, SECOND)

    requests, parts = _measured(builder)

    assert list(requests.arrived // MS) == [9, 9]
    assert list(requests.answered // MS) == [25, 45]
    _exact(requests, parts)


def test_a_connection_is_one_socket(tmp_path):
    """The third request was queued by an item that had read another connection last: its own connection counts."""
    builder = _capture(tmp_path)
    for at in (10, 110):
        _item(builder, at, at + 1, at + 3, FIRST)
        _item(builder, at + 2, at + 4, at + 9, SECOND, by=FIRST)
    _item(builder, 210, 211, 216, FIRST)  # reads C1 and then C2, and only then queues the server's item of C1
    _item(builder, 215, 217, 230, SECOND, by=FIRST)
    _connection(
        builder,
        *((at + 1, "arrived", 50) for at in (8, 108, 208)),
        *((at + 2, "read", 50, FIRST) for at in (10, 110, 210)),
        *((at, "sent", 9, SECOND) for at in (18, 118, 228)),
    )
    _connection(builder, (209, "arrived", 50), (213, "read", 50, FIRST))
    for at in (15, 115, 219):
        _request(builder, at, SECOND, at + 2, SECOND, connection="C1")

    requests, _ = _measured(builder)

    assert list(requests.socket) == [0, 0, 0]
    assert list(requests.arrived // MS) == [9, 109, 209]


def test_two_connections_that_lead_to_one_socket_are_not_tied(tmp_path):
    builder = _capture(tmp_path)
    for at in (10, 110):
        _item(builder, at, at + 1, at + 3, FIRST)
        _item(builder, at + 2, at + 4, at + 9, SECOND, by=FIRST)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (109, "arrived", 50), (112, "read", 50, FIRST))
    _request(builder, 15, SECOND, 17, SECOND, connection="C1")
    _request(builder, 115, SECOND, 117, SECOND, connection="C2")

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert not requests.tied.any()


def test_bytes_whose_arrival_is_missing_tie_nothing(tmp_path):
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)
    _connection(builder, (12, "read", 50, FIRST), (18, "sent", 9, SECOND))
    _request(builder, 15, SECOND, 17, SECOND)

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert requests.count == 1 and not requests.tied.any() and len(requests.tiles.request) == 0


def test_without_sockets_nothing_is_tied(tmp_path):
    builder = _item(_capture(tmp_path), 12, 14, 20, SECOND)
    _request(builder, 15, SECOND, 17, SECOND)

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert requests.count == 1 and len(requests.latency) == 0


def test_what_has_no_answer_is_a_lower_bound(tmp_path):
    builder = _capture(tmp_path, length=500)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 20, SECOND, by=FIRST)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (18, "sent", 9, SECOND), (100, "arrived", 50))
    _item(builder, 210, 211, 213, FIRST)
    _item(builder, 212, 214, 220, SECOND, by=FIRST)
    _connection(builder, (209, "arrived", 50), (212, "read", 50, FIRST))
    _request(builder, 15, SECOND, 17, SECOND)
    _request(builder, 215, SECOND, 217, SECOND, connection="C2")

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    # The first was answered; the second was not; the third has arrived and not begun.
    assert list(requests.latency // MS) == [9, 291, 400]
    assert list(requests.unanswered) == [False, True, True]


@pytest.mark.parametrize("protocol, answered", [("HTTP/1.1", 16), ("HTTP/2", 30), (None, 16)])
def test_where_requests_share_a_connection_the_answer_follows_the_application(tmp_path, protocol, answered):
    builder = _capture(tmp_path)
    _item(builder, 10, 11, 13, FIRST)
    _item(builder, 12, 14, 40, SECOND, by=FIRST)
    _connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (16, "sent", 9, FIRST), (30, "sent", 9, SECOND))
    _request(builder, 15, SECOND, 25, SECOND, protocol=protocol)

    requests, _ = _measured(builder)

    assert requests.answered[0] == answered * MS


def test_no_requests_are_no_measure(tmp_path):
    capture = _item(_capture(tmp_path), 12, 14, 20, SECOND).write()

    assert measure_requests(capture, attribute(capture)) is None


def test_a_pause_of_the_runtime_is_the_runtime_s(tmp_path):
    """While the threads of sockets stand still, nothing is queued for what arrives."""
    builder = _capture(tmp_path)
    builder.suspension(20 * MS, 60 * MS).suspension(100 * MS, 140 * MS)
    _item(builder, 70, 71, 73, FIRST)
    _item(builder, 72, 74, 80, SECOND, by=FIRST)
    builder.thread(TIMERS, 100, ".NET Timer")
    _item(builder, 150, 151, 153, FIRST, by=TIMERS)  # late
    _item(builder, 152, 154, 160, SECOND, by=FIRST)
    _connection(builder, (9, "arrived", 50), (72, "read", 50, FIRST), (155, "sent", 100, SECOND))
    _request(builder, 75, SECOND, 153, FIRST)

    requests, parts = _measured(builder)

    assert parts.part["unread"][0] == 63 * MS and parts.cause["other"][0] == 22 * MS
    assert parts.part["runtime"][0] == 40 * MS and parts.part["timer"][0] == 30 * MS
    _exact(requests, parts)


def test_what_a_service_has_not_even_accepted_waits_too(tmp_path):
    """A request that is served, and data on three connections from which nothing was read: to the same address, to another
    one, and one that the target asked for itself."""
    builder = _capture(tmp_path)
    _item(builder, 20, 22, 30, FIRST)
    _connection(builder, (10, "arrived", 50), (23, "read", 50, FIRST), (29, "sent", 9, FIRST))
    _request(builder, 24, FIRST, 28, FIRST)
    _connection(builder, (400, "arrived", 50), (450, "arrived", 50))
    _connection(builder, (500, "arrived", 50))
    builder.rows["sockets"][-1]["local"] = "127.0.0.1:81"
    _connection(builder, (600, "arrived", 50), role="connected")
    requests, _ = _measured(builder)
    assert requests.count == 1 and requests.unanswered.tolist() == [False, True]
    assert requests.not_begun.tolist() == [400 * MS]
    assert requests.latency.tolist() == [19 * MS, requests.stop - 400 * MS]
