"""Calls that wait for a free stream of an HTTP/2 connection."""

import pytest
from late_captures import fired
from synthetic import MS, CaptureBuilder


def streams(folder, waited=300, open_at_once=40, protocol="HTTP/2.0", took=340):
    """Builds rounds of 40 calls on one connection, one every 350 ms; each call waited for the streams of the round
    before."""
    builder = CaptureBuilder(folder, length=10_000 * MS)
    for number in range(6 * open_at_once):
        at = (1_000 + 350 * (number // open_at_once)) * MS
        tid = 200 + number % open_at_once
        builder.item(at, at, at + MS, tid, [("running", MS)])
        first = number < open_at_once
        queue = {} if first else {"waited": waited * MS, "taken": (at, tid)}
        began = at if first else at - waited * MS
        builder.call(began + number, at + took * MS, path=f"/{number}", connection=1, protocol=protocol, **queue)
    return builder


@pytest.mark.fires("stream-limit")
def test_calls_that_wait_while_always_as_many_streams_are_open_name_the_limit(tmp_path):
    found, verdict = fired(streams(tmp_path))
    assert verdict.id == "stream-limit"
    assert "1 connection had no stream left" in verdict.text and "about 40 streams open" in verdict.text
    assert "EnableMultipleHttp2Connections" in found["stream-limit"].advice[0]
    assert "connection-pool-wait" not in found


@pytest.mark.fires("stream-limit")
def test_streams_whose_ends_are_seen_after_the_next_ones_began_are_counted_once(tmp_path):
    assert "about 40 streams open" in fired(streams(tmp_path, took=520))[1].text


def test_calls_that_mostly_waited_for_a_connection_are_late_where_no_limit_is_seen(tmp_path):
    verdict = fired(streams(tmp_path, waited=1_200, open_at_once=1))[1]
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert verdict.text.startswith("Cannot tell why 5 of 6 calls were late")


@pytest.mark.quiet("stream-limit")
def test_calls_that_wait_for_no_stream(tmp_path):
    assert "stream-limit" not in fired(streams(tmp_path / "little", waited=2))[0]
    assert "stream-limit" not in fired(streams(tmp_path / "first", protocol="HTTP/1.1"))[0]
    assert "stream-limit" not in fired(streams(tmp_path / "alone", open_at_once=1))[0]
