"""TCP segments of a pcap file, and the ordered data of each direction of a connection."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAGIC_NS = 0xA1B23C4D
_SYN, _ACK = 0x02, 0x10
_HALF, _SEQUENCES = 1 << 31, 1 << 32


class Segment(NamedTuple):
    """One TCP segment. `time`: ns of the file's clock. `source`, `target`: address and port. `opens`: the first segment
    of a direction, without data. `answers`: sent by the accepting side."""

    time: int
    source: tuple[str, int]
    target: tuple[str, int]
    sequence: int
    data: bytes
    opens: bool = False
    answers: bool = False


class Piece(NamedTuple):
    """Bytes in order. `seen`: when they first passed. `complete`: when all bytes before them had passed too, so that
    TCP could deliver them. ns."""

    seen: int
    complete: int
    data: bytes


def read_pcap(file: Path) -> Iterator[Segment]:
    """Yields the TCP segments of a file of IPv4 packets with times in ns. Raises ValueError for another kind of
    file."""
    content = file.read_bytes()
    if len(content) < 24 or struct.unpack_from("<I", content)[0] != MAGIC_NS:
        raise ValueError(f"{file} is no pcap file with times in ns")
    at = 24
    while at < len(content):
        seconds, nanoseconds, kept, whole = struct.unpack_from("<IIII", content, at)
        packet = content[at + 16 : at + 16 + kept]
        if kept != whole or len(packet) != kept:
            raise ValueError(f"{file} has packets that are cut short")
        yield _segment(seconds * 1_000_000_000 + nanoseconds, packet)
        at += 16 + kept


def _segment(time: int, packet: bytes) -> Segment:
    tcp = 4 * (packet[0] & 0xF)
    length = struct.unpack_from(">H", packet, 2)[0]
    source, target, sequence = struct.unpack_from(">HHI", packet, tcp)
    flags = packet[tcp + 13]
    return Segment(
        time,
        (socket.inet_ntoa(packet[12:16]), source),
        (socket.inet_ntoa(packet[16:20]), target),
        sequence,
        packet[tcp + 4 * (packet[tcp + 12] >> 4) : length],
        bool(flags & _SYN),
        bool(flags & _SYN and flags & _ACK),
    )


class Direction:
    """The bytes that one side of a connection sends, in order and each once, from segments that may be late, repeated
    or split."""

    def __init__(self, first: int) -> None:
        """Starts a direction with `first`, the sequence number of the first byte."""
        self._next = first
        self._waiting: list[Segment] = []

    def add(self, segment: Segment) -> list[Piece]:
        """Returns the pieces that are complete now; none if earlier bytes are missing, or all have passed before."""
        self._waiting.append(segment)
        self._waiting.sort(key=lambda waiting: self._ahead(waiting.sequence))
        pieces = []
        while self._waiting and self._ahead(self._waiting[0].sequence) <= 0:
            first = self._waiting.pop(0)
            fresh = first.data[-self._ahead(first.sequence) :]
            if fresh:
                pieces.append(Piece(first.time, max(first.time, segment.time), fresh))
                self._next = (self._next + len(fresh)) % _SEQUENCES
        return pieces

    def _ahead(self, sequence: int) -> int:
        """Returns the distance to the next byte; negative: before it. Sequence numbers wrap after 2^32 bytes."""
        return (sequence - self._next + _HALF) % _SEQUENCES - _HALF
