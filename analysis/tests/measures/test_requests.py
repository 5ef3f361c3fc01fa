"""Requests from the wire to the answer, and the waits on the way. Times are ms."""

from __future__ import annotations

import pytest
from poolscope.measures.requests.tiles import SHARED
from synthetic import MS
from wired_requests import FIRST, SECOND, TIMERS, connection, is_exact, measured, on_core, request, story, wired


def test_a_request_that_computes(tmp_path):
    builder = wired(tmp_path)
    on_core(builder, 12, 20, 24, FIRST)  # reads at 22, queues the server's item
    on_core(builder, 23, 30, 50, SECOND, by=FIRST)  # begins at 31, leaves at 48
    on_core(builder, 47, 60, 70, FIRST, by=SECOND)  # sends at 65
    connection(builder, (10, "arrived", 50), (22, "read", 50, FIRST), (65, "sent", 100, FIRST))
    request(builder, 31, SECOND, 48, SECOND)

    requests, parts = measured(builder)

    assert story(requests) == [
        ("unread", 10, 22),
        ("executed", 22, 23),
        ("queued", 23, 30),
        ("executed", 30, 48),
        ("queued", 48, 60),
        ("executed", 60, 65),
    ]
    is_exact(requests, parts)
    assert parts.part["unread"][0] == 12 * MS and parts.part["queued"][0] == 19 * MS
    assert parts.part["cpu"][0] == 24 * MS
    # For 8 of the 12 ms in the socket, the item that read it was in the queue.
    assert parts.cause["other"][0] == 4 * MS


def test_an_awaited_service_ends_with_the_end_of_its_stream(tmp_path):
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, sends to the service at 18
    on_core(builder, 101, 102, 104, FIRST)  # reads the data, and waits for more
    on_core(builder, 105, 110, 130, SECOND)  # reads the end, leaves at 120
    on_core(builder, 119, 125, 140, FIRST, by=SECOND)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (135, "sent", 100, FIRST))
    connection(
        builder,
        (18, "sent", 54, SECOND),
        (100, "arrived", 88),
        (103, "read", 88, FIRST),
        (104, "ended", 0),
        (112, "end_read", 0, SECOND),
        role="connected",
    )
    request(builder, 15, SECOND, 120, SECOND)

    requests, parts = measured(builder)

    assert story(requests) == [
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
    is_exact(requests, parts)


def test_a_blocking_call_is_the_service_s_time_and_not_blocked(tmp_path):
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    builder.item(
        12 * MS,
        14 * MS,
        120 * MS,
        SECOND,
        [("running", 4 * MS), ("blocked", 83 * MS), ("running", 19 * MS)],
        enqueue_tid=FIRST,
    )
    on_core(builder, 114, 116, 120, FIRST, by=SECOND)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (118, "sent", 100, FIRST))
    connection(builder, (18, "sent", 54, SECOND), (100, "arrived", 88), (101, "read", 88, SECOND), role="connected")
    request(builder, 15, SECOND, 115, SECOND)

    requests, parts = measured(builder)

    assert parts.part["services"][0] == 82 * MS
    assert parts.part["blocked"][0] == 1 * MS
    is_exact(requests, parts)


def test_an_item_that_sends_for_several_requests_is_met_where_each_left(tmp_path):
    builder = wired(tmp_path)
    for at, worker in ((10, FIRST), (20, FIRST)):
        on_core(builder, at, at + 1, at + 3, worker)
        on_core(builder, at + 2, at + 4, at + 8, SECOND, by=worker)
    on_core(builder, 16, 50, 60, FIRST, by=SECOND)  # queued by the first request, sends both answers
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (55, "sent", 10, FIRST))
    connection(builder, (19, "arrived", 50), (22, "read", 50, FIRST), (58, "sent", 10, FIRST))
    request(builder, 15, SECOND, 17, SECOND, connection="C1")
    request(builder, 25, SECOND, 27, SECOND, connection="C2")

    requests, parts = measured(builder)

    assert story(requests, 0)[-2:] == [("queued", 17, 50), ("executed", 50, 55)]
    assert story(requests, 1)[-2:] == [("queued", 27, 50), ("executed", 50, 58)]
    is_exact(requests, parts)


def test_an_answer_that_goes_out_with_another_s_before_its_request_left_was_written_where_that_ran(tmp_path):
    """The answers of a service to both come together; the first request's flush sends the head of the second's answer
    too."""
    builder = wired(tmp_path)
    third, sender = 3, 4
    for at, socket in ((10, "C1"), (20, "C2")):
        on_core(builder, at, at + 1, at + 6, FIRST)
        request(builder, at + 3, FIRST, *((106, SECOND) if socket == "C1" else (118, third)), connection=socket)
    on_core(builder, 100, 101, 108, SECOND)
    on_core(builder, 100, 101, 120, third)
    on_core(builder, 103, 105, 115, sender, by=SECOND)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (107, "sent", 10, sender))
    connection(
        builder, (19, "arrived", 50), (22, "read", 50, FIRST), (110, "sent", 10, sender), (119, "sent", 5, third)
    )
    for asked, reader in ((14, SECOND), (24, third)):
        connection(builder, (asked, "sent", 5, FIRST), (99, "arrived", 9), (102, "read", 9, reader), role="connected")

    requests, parts = measured(builder)

    assert story(requests, 1) == [
        ("unread", 19, 22),
        ("executed", 22, 24),
        ("service", 24, 99),
        ("unread", 99, 100),
        ("queued", 100, 101),
        ("executed", 101, 110),
    ]
    is_exact(requests, parts)


@pytest.mark.parametrize(("thread", "kind"), [(".NET Timer", "timer"), ("Rdkafka", "thread")])
def test_what_a_timer_ended_is_told_from_what_a_client_s_thread_ended(tmp_path, thread, kind):
    builder = wired(tmp_path).thread(TIMERS, 100, thread)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, awaits
    on_core(builder, 220, 250, 270, FIRST, by=TIMERS)  # sends at 260
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (260, "sent", 100, FIRST))
    request(builder, 15, SECOND, 258, FIRST)

    requests, parts = measured(builder)

    assert story(requests)[-3:] == [(kind, 20, 220), ("queued", 220, 250), ("executed", 250, 260)]
    is_exact(requests, parts)
    assert parts.part[kind][0] == 200 * MS


def test_an_answer_that_lay_until_an_item_was_there_to_read_it_was_in_the_queue(tmp_path):
    """The socket engine's item waits for a worker, and queues the next item of its kind before it reads."""
    reader = 3
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, asks a service at 18
    on_core(builder, 102, 150, 152, FIRST)  # the engine's
    on_core(builder, 151, 180, 200, reader, by=FIRST)  # reads at 185, sends at 190
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (190, "sent", 100, reader))
    connection(builder, (18, "sent", 54, SECOND), (100, "arrived", 88), (185, "read", 88, reader), role="connected")
    request(builder, 15, SECOND, 188, reader)

    requests, parts = measured(builder)

    assert story(requests)[-6:] == [
        ("service", 18, 100),
        ("unread", 100, 102),
        ("queued", 102, 150),
        ("executed", 150, 151),
        ("queued", 151, 180),
        ("executed", 180, 190),
    ]
    is_exact(requests, parts)


def test_an_answer_that_is_sent_by_what_its_own_item_led_to_waited_in_the_queue(tmp_path):
    """Over HTTP/2 an item of the connection passes frames to the item that sends them."""
    writer, sender = 3, 4
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 40, SECOND, by=FIRST)  # begins at 15, leaves at 38
    on_core(builder, 39, 80, 82, writer, by=SECOND)
    on_core(builder, 81, 90, 99, sender, by=writer)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (95, "sent", 100, sender))
    request(builder, 15, SECOND, 38, SECOND)

    requests, parts = measured(builder)

    assert story(requests)[-5:] == [
        ("executed", 14, 40),
        ("queued", 40, 80),
        ("executed", 80, 81),
        ("queued", 81, 90),
        ("executed", 90, 95),
    ]
    is_exact(requests, parts)
    assert not parts.part["other"].any()


def test_what_asked_and_went_on_before_the_answer_was_read_was_at_work_and_not_waiting(tmp_path):
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    # Begins at 15, asks at 18, checks something, and queues the read at 88.
    on_core(builder, 12, 14, 90, SECOND, by=FIRST)
    on_core(builder, 88, 92, 110, FIRST, by=SECOND)  # reads at 93, sends at 100
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (100, "sent", 100, FIRST))
    connection(builder, (18, "sent", 54, SECOND), (30, "arrived", 88), (93, "read", 88, FIRST), role="connected")
    request(builder, 15, SECOND, 98, FIRST)

    requests, parts = measured(builder)

    assert story(requests)[-4:] == [
        ("service", 18, 30),
        ("executed", 30, 88),
        ("queued", 88, 92),
        ("executed", 92, 100),
    ]
    is_exact(requests, parts)


@pytest.mark.parametrize(("between", "kind"), [(False, "shared"), (True, "other")])
def test_what_data_on_a_shared_connection_ended_is_told_from_a_driver_s_own(tmp_path, between, kind):
    other = 3
    builder = wired(tmp_path)
    on_core(builder, 1, 2, 8, other)  # asks the cache for something else at 5, and at 30
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)  # begins at 15, awaits an answer that another item asks for
    on_core(builder, 29, 29.5, 40, other)
    on_core(builder, 200, 204, 230, FIRST)  # reads the cache's data at 206, sends the answer at 220
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (220, "sent", 100, FIRST))
    connection(
        builder,
        (5, "sent", 20, other),
        *([(7, "arrived", 20), (7.5, "read", 20, other)] if between else []),
        (12.5, "sent", 20, FIRST),
        (199, "arrived", 40),
        (206, "read", 40, FIRST),
        role="connected",
    )
    request(builder, 15, SECOND, 215, FIRST)

    requests, parts = measured(builder)

    told = story(requests)
    is_exact(requests, parts)
    end = 199 if kind == "shared" else 206
    assert (kind, 20, end) in told
    if kind == "shared":
        assert told[-2:] == [("queued", 200, 204), ("executed", 204, 220)]
        assert requests.remote[requests.tiles.socket[requests.tiles.kind == SHARED]].tolist() == ["127.0.0.1:9"]


def test_a_pause_of_the_runtime_is_the_runtime_s(tmp_path):
    """While the socket threads are stopped, no item is queued for data that arrives."""
    builder = wired(tmp_path)
    builder.suspension(20 * MS, 60 * MS).suspension(100 * MS, 140 * MS)
    on_core(builder, 70, 71, 73, FIRST)
    on_core(builder, 72, 74, 80, SECOND, by=FIRST)
    builder.thread(TIMERS, 100, ".NET Timer")
    on_core(builder, 150, 151, 153, FIRST, by=TIMERS)  # late
    on_core(builder, 152, 154, 160, SECOND, by=FIRST)
    connection(builder, (9, "arrived", 50), (72, "read", 50, FIRST), (155, "sent", 100, SECOND))
    request(builder, 75, SECOND, 153, FIRST)

    requests, parts = measured(builder)

    assert parts.part["unread"][0] == 63 * MS and parts.cause["other"][0] == 22 * MS
    assert parts.part["runtime"][0] == 40 * MS and parts.part["timer"][0] == 30 * MS
    is_exact(requests, parts)


def test_what_a_service_has_not_even_accepted_waits_too(tmp_path):
    """One request is served, and data on three connections is never read: one to the same address, one to another
    address, and one that the target opened itself."""
    builder = wired(tmp_path)
    on_core(builder, 20, 22, 30, FIRST)
    connection(builder, (10, "arrived", 50), (23, "read", 50, FIRST), (29, "sent", 9, FIRST))
    request(builder, 24, FIRST, 28, FIRST)
    connection(builder, (400, "arrived", 50), (450, "arrived", 50))
    connection(builder, (500, "arrived", 50))
    builder.rows["sockets"][-1]["local"] = "127.0.0.1:81"
    connection(builder, (600, "arrived", 50), role="connected")
    requests, _ = measured(builder)
    assert requests.count == 1 and requests.unanswered.tolist() == [False, True]
    assert requests.not_begun.tolist() == [400 * MS]
    assert requests.latency.tolist() == [19 * MS, requests.stop - 400 * MS]
