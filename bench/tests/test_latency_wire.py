"""The check on the wire: requests in packets that are late, repeated, split, or on the wrong connection."""

import random
import struct

import pandas as pd
import pytest

from latency import packets, tap, wire
from latency.packets import Direction, Segment

CLIENT, SERVICE, DATABASE = ("127.0.0.1", 40_000), ("127.0.0.1", 80), ("127.0.0.1", 5432)
OFFSET = 1_795_000_000_000_000_000
TAPPED = tap.Tapped(packets=0, lost=0, before=OFFSET, after=OFFSET)


def request(number, path="async"):
    return f"GET /{path}/{number} HTTP/1.1\r\nHost: here\r\n\r\n".encode()


ANSWER = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndone\n\r\n0\r\n\r\n"


class Talk:
    """A connection whose segments are recorded as they pass."""

    def __init__(self, client=CLIENT, service=SERVICE, first=1000):
        self.client, self.service = client, service
        self.next = {client: first, service: 7_000}
        self.segments = []

    def says(self, time, side, data, **flags):
        other = self.service if side == self.client else self.client
        self.segments.append(Segment(OFFSET + time, side, other, self.next[side] % 2**32, data, **flags))
        self.next[side] += len(data) + flags.get("opens", False)

    def opens(self, time):
        self.says(time, self.client, b"", opens=True)
        self.says(time + 1, self.service, b"", opens=True, answers=True)


def rows(segments, tapped=TAPPED):
    table = wire.follow(segments, tapped, SERVICE[1]).requests
    return [tuple(row) for row in table.itertuples(index=False)]


def test_a_request_is_its_last_byte_and_the_first_byte_of_its_answer():
    talk = Talk()
    talk.opens(1)
    for number, start in enumerate((100, 200)):
        talk.says(start, CLIENT, request(number))
        talk.says(start + 50, SERVICE, ANSWER[:20])
        talk.says(start + 60, SERVICE, ANSWER[20:])
    talk.says(300, CLIENT, request(2))
    assert rows(talk.segments) == [(0, 100, 150), (1, 200, 250), (2, 300, wire.NEVER)]


def test_a_split_request_has_arrived_with_its_last_piece():
    talk = Talk()
    whole = request(17)
    for time, part in zip((10, 20, 30), (whole[:7], whole[7:-1], whole[-1:]), strict=True):
        talk.says(time, CLIENT, part)
    talk.says(90, SERVICE, ANSWER)
    assert rows(talk.segments) == [(17, 30, 90)]


def test_data_behind_a_gap_has_arrived_when_the_gap_is_filled_and_was_sent_before():
    talk = Talk()
    talk.opens(1)
    whole = request(3)
    talk.says(10, CLIENT, whole[:5])
    talk.says(40, CLIENT, whole[5:9])
    talk.says(20, CLIENT, whole[9:])
    talk.says(60, SERVICE, ANSWER[:10])
    assert rows(talk.segments) == [(3, 40, 60)]


def test_what_is_sent_again_counts_once_with_its_first_time():
    talk = Talk()
    talk.opens(1)
    talk.says(10, CLIENT, request(5))
    again = talk.segments[-1]
    talk.segments.append(again._replace(time=OFFSET + 30))
    talk.says(50, SERVICE, ANSWER)
    talk.segments.append(talk.segments[-1]._replace(time=OFFSET + 70))
    talk.says(80, CLIENT, request(6))
    talk.segments.append(again._replace(time=OFFSET + 85))
    talk.says(90, SERVICE, ANSWER)
    assert rows(talk.segments) == [(5, 10, 50), (6, 80, 90)]


def test_an_answer_before_the_tap_listened_and_other_traffic_are_no_requests():
    talk, database, other = Talk(), Talk(service=DATABASE), Talk(service=("127.0.0.1", 8080))
    other.says(12, CLIENT, request(1))
    talk.says(5, SERVICE, ANSWER)
    talk.says(10, CLIENT, request(1))
    database.says(20, CLIENT, b"GET / HTTP/1.1\r\n\r\n")
    database.says(30, DATABASE, ANSWER)
    talk.says(40, SERVICE, ANSWER)
    assert rows(talk.segments + database.segments + other.segments) == [(1, 10, 40)]


def test_a_port_that_is_used_again_is_a_new_connection():
    given_up, again = Talk(), Talk(first=3_000_000_000)
    given_up.opens(1)
    given_up.says(10, CLIENT, request(1))
    again.opens(20)
    again.says(30, CLIENT, request(2))
    again.says(40, SERVICE, ANSWER)
    assert rows(given_up.segments + again.segments) == [(1, 10, wire.NEVER), (2, 30, 40)]


def test_requests_that_do_not_wait_for_answers_are_left_out_and_counted():
    talk = Talk()
    talk.opens(1)
    talk.says(10, CLIENT, request(1) + request(2))
    talk.says(20, SERVICE, ANSWER)
    talk.says(25, SERVICE, ANSWER)
    talk.says(30, CLIENT, request(3))
    passed = wire.follow(talk.segments, TAPPED, SERVICE[1])
    assert (len(passed.requests), passed.odd) == (0, 3)


def test_a_request_that_is_sent_over_two_connections_is_left_out():
    given_up, again = Talk(), Talk(client=("127.0.0.1", 40_001))
    given_up.says(10, CLIENT, request(1))
    again.says(20, again.client, request(1))
    again.says(30, SERVICE, ANSWER)
    again.says(40, again.client, request(2))
    passed = wire.follow(given_up.segments + again.segments, TAPPED, SERVICE[1])
    assert (list(passed.requests["number"]), passed.odd) == ([2], 2)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_overlapping_segments_gives_the_same_bytes(seed):
    chance = random.Random(seed)
    first = 2**32 - 40
    text = bytes(chance.randrange(256) for _ in range(100))
    segments = [(at, text[at : at + chance.randrange(1, 30)]) for at in range(0, 100, 7)]
    segments += [(0, text[:8])] + [(at, text[at : at + 7]) for at in range(0, 100, 7)]
    chance.shuffle(segments)
    direction, got, seen = Direction(first), b"", []
    for time, (at, data) in enumerate(segments):
        for piece in direction.add(Segment(time, CLIENT, SERVICE, (first + at) % 2**32, data)):
            got += piece.data
            seen.append(piece)
            assert piece.complete == time >= piece.seen
    assert got == text


def test_times_are_those_of_the_monotonic_clock():
    talk = Talk()
    talk.says(10, CLIENT, request(1))
    talk.says(20, SERVICE, ANSWER)
    slewed = tap.Tapped(0, 0, before=OFFSET - 4, after=OFFSET + 4)
    assert rows(talk.segments, slewed) == [(1, 10, 20)]
    stepped = tap.Tapped(0, 0, before=OFFSET, after=OFFSET + 1_000_000)
    with pytest.raises(ValueError, match="clock was set"):
        wire.follow(talk.segments, stepped, SERVICE[1])


def test_a_clock_offset_is_that_of_the_quickest_reading(monkeypatch):
    # Readings of monotonic, real, monotonic: the second triple is the quickest.
    readings = iter([0, 1_000_900, 1_000, 2_000, 1_002_010, 2_020, 3_000, 1_003_300, 3_400])
    monkeypatch.setattr(tap.time, "clock_gettime_ns", lambda clock: next(readings))
    assert tap.clock_offset(tries=3) == 1_000_000


def ip_packet(segment, padding=b""):
    flags = 0x02 * segment.opens | 0x10 * segment.answers | 0x10 * (not segment.opens)
    options = b"\x01" * 12
    tcp = struct.pack(">HHIIBBHHH", segment.source[1], segment.target[1], segment.sequence, 0, 8 << 4, flags, 0, 0, 0)
    body = tcp + options + segment.data
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0, 64, 6, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
    return ip + body + padding


def test_segments_are_read_back_from_the_file(tmp_path):
    talk = Talk()
    talk.opens(1)
    talk.says(10, CLIENT, request(1))
    file = tmp_path / "wire.pcap"
    stamped = [(struct.pack("qq", *divmod(s.time, 10**9)), ip_packet(s, padding=b"\0\0")) for s in talk.segments]
    tap.write_pcap(file, stamped)
    assert list(packets.read_pcap(file)) == talk.segments
    file.write_bytes(b"\0" * 30)
    with pytest.raises(ValueError, match="no pcap"):
        list(packets.read_pcap(file))


def test_no_request_at_all_is_an_empty_table():
    assert isinstance(wire.follow([], TAPPED, SERVICE[1]).requests, pd.DataFrame) and rows([]) == []
