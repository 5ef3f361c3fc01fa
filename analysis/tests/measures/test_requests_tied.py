"""Requests and the bytes on the wire that they are tied to. Times are ms."""

from __future__ import annotations

import pytest
from poolscope.attribution import attribute
from poolscope.measures.requests import measure_requests
from synthetic import MS
from wired_requests import FIRST, SECOND, connection, is_exact, measured, on_core, request, wired


def test_the_next_request_of_a_connection_is_tied_by_the_connection(tmp_path):
    """Its bytes were read together with the first request's, so no chain of items leads to them."""
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 60, SECOND, by=FIRST)  # both requests, one after the other
    connection(
        builder,
        (9, "arrived", 100),
        (12, "read", 100, FIRST),
        (25, "sent", 10, SECOND),
        (45, "sent", 10, SECOND),
    )
    request(builder, 15, SECOND, 24, SECOND)
    request(builder, 35, SECOND, 44, SECOND)

    requests, parts = measured(builder)

    assert list(requests.arrived // MS) == [9, 9]
    assert list(requests.answered // MS) == [25, 45]
    is_exact(requests, parts)


def test_a_connection_is_one_socket(tmp_path):
    """An item that had last read another connection queued the third request: its own connection counts."""
    builder = wired(tmp_path)
    for at in (10, 110):
        on_core(builder, at, at + 1, at + 3, FIRST)
        on_core(builder, at + 2, at + 4, at + 9, SECOND, by=FIRST)
    on_core(builder, 210, 211, 216, FIRST)  # reads C1 and then C2, and only then queues the server's item of C1
    on_core(builder, 215, 217, 230, SECOND, by=FIRST)
    connection(
        builder,
        *((at + 1, "arrived", 50) for at in (8, 108, 208)),
        *((at + 2, "read", 50, FIRST) for at in (10, 110, 210)),
        *((at, "sent", 9, SECOND) for at in (18, 118, 228)),
    )
    connection(builder, (209, "arrived", 50), (213, "read", 50, FIRST))
    for at in (15, 115, 219):
        request(builder, at, SECOND, at + 2, SECOND, connection="C1")

    requests, _ = measured(builder)

    assert list(requests.socket) == [0, 0, 0]
    assert list(requests.arrived // MS) == [9, 109, 209]


def test_two_connections_that_lead_to_one_socket_are_not_tied(tmp_path):
    builder = wired(tmp_path)
    for at in (10, 110):
        on_core(builder, at, at + 1, at + 3, FIRST)
        on_core(builder, at + 2, at + 4, at + 9, SECOND, by=FIRST)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (109, "arrived", 50), (112, "read", 50, FIRST))
    request(builder, 15, SECOND, 17, SECOND, connection="C1")
    request(builder, 115, SECOND, 117, SECOND, connection="C2")

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert not requests.tied.any()


def test_bytes_whose_arrival_is_missing_tie_nothing(tmp_path):
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)
    connection(builder, (12, "read", 50, FIRST), (18, "sent", 9, SECOND))
    request(builder, 15, SECOND, 17, SECOND)

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert requests.count == 1 and not requests.tied.any() and len(requests.tiles.request) == 0


def test_without_sockets_nothing_is_tied(tmp_path):
    builder = on_core(wired(tmp_path), 12, 14, 20, SECOND)
    request(builder, 15, SECOND, 17, SECOND)

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    assert requests.count == 1 and len(requests.latency) == 0


def test_what_has_no_answer_is_a_lower_bound(tmp_path):
    builder = wired(tmp_path, length=500)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 20, SECOND, by=FIRST)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (18, "sent", 9, SECOND), (100, "arrived", 50))
    on_core(builder, 210, 211, 213, FIRST)
    on_core(builder, 212, 214, 220, SECOND, by=FIRST)
    connection(builder, (209, "arrived", 50), (212, "read", 50, FIRST))
    request(builder, 15, SECOND, 17, SECOND)
    request(builder, 215, SECOND, 217, SECOND, connection="C2")

    capture = builder.write()
    requests = measure_requests(capture, attribute(capture))

    # The first was answered, the second was not, and the third has arrived and not begun.
    assert list(requests.latency // MS) == [9, 291, 400]
    assert list(requests.unanswered) == [False, True, True]


@pytest.mark.parametrize("protocol, answered", [("HTTP/1.1", 16), ("HTTP/2", 30), (None, 16)])
def test_where_requests_share_a_connection_the_answer_follows_the_application(tmp_path, protocol, answered):
    builder = wired(tmp_path)
    on_core(builder, 10, 11, 13, FIRST)
    on_core(builder, 12, 14, 40, SECOND, by=FIRST)
    connection(builder, (9, "arrived", 50), (12, "read", 50, FIRST), (16, "sent", 9, FIRST), (30, "sent", 9, SECOND))
    request(builder, 15, SECOND, 25, SECOND, protocol=protocol)

    requests, _ = measured(builder)

    assert requests.answered[0] == answered * MS


def test_no_requests_are_no_measure(tmp_path):
    capture = on_core(wired(tmp_path), 12, 14, 20, SECOND).write()

    assert measure_requests(capture, attribute(capture)) is None
