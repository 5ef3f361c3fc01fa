"""The requests of a load generator as seen on the wire: an independent check of Poolscope's figures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from .packets import Direction, Piece, Segment
from .tap import Tapped

TAP = Path(__file__).with_name("tap.py")
END_S = 30
STEP_NS = 20_000
"""Maximum drift between the clocks while the tap listens. A larger one means that CLOCK_REALTIME was set."""
_NUMBERED = re.compile(rb"GET [^ ?]*/(\d+) HTTP/1\.[01]\r\n")
_END_OF_HEAD = b"\r\n\r\n"
NEVER = -1


@dataclass
class Passed:
    """The traffic on the wire. `requests` has a row for each numbered request: `number`, `arrived` (its last byte),
    `answered` (the first byte of its answer; -1: none), ns of CLOCK_MONOTONIC. `odd`: requests left out because their
    connection sent the next one before the answer, the answer was not HTTP, or they were sent twice. `lost`: packets
    that the tap had no room for."""

    requests: pd.DataFrame
    odd: int
    lost: int


@dataclass
class _Exchange:
    """A connection: the part of the request received so far, the row that awaits its answer, and whether it broke the
    rules, so that its answers cannot be assigned."""

    head: bytes = b""
    awaited: list[int] | None = None
    broken: bool = False


@dataclass
class Follower:
    """Follows requests without a body over HTTP/1.1, one at a time on each connection."""

    rows: list[list[int]] = field(default_factory=list)
    odd: int = 0
    _directions: dict[tuple[tuple[str, int], tuple[str, int]], Direction] = field(default_factory=dict)
    _exchanges: dict[tuple[tuple[str, int], tuple[str, int]], _Exchange] = field(default_factory=dict)

    def add(self, segment: Segment) -> None:
        """Takes the next segment, in order of time."""
        way, back = (segment.source, segment.target), (segment.target, segment.source)
        if segment.opens:
            self._directions[way] = Direction((segment.sequence + 1) % (1 << 32))
            if not segment.answers:
                self._exchanges[way] = _Exchange()
            return
        direction = self._directions.setdefault(way, Direction(segment.sequence))
        for piece in direction.add(segment):
            if way in self._exchanges or (back not in self._exchanges and piece.data.startswith(b"GET ")):
                self._requested(self._exchanges.setdefault(way, _Exchange()), piece)
            elif back in self._exchanges:
                self._answered(self._exchanges[back], piece)

    def _requested(self, exchange: _Exchange, piece: Piece) -> None:
        exchange.head += piece.data
        while _END_OF_HEAD in exchange.head:
            head, _, exchange.head = exchange.head.partition(_END_OF_HEAD)
            self._drop(exchange)
            if exchange.broken:
                self.odd += 1
            elif line := _NUMBERED.match(head + b"\r\n"):
                exchange.awaited = [int(line[1]), piece.complete, NEVER]
                self.rows.append(exchange.awaited)

    def _answered(self, exchange: _Exchange, piece: Piece) -> None:
        if exchange.awaited is None:
            return  # More of the answer before.
        if piece.data.startswith(b"HTTP/1."):
            exchange.awaited[2] = piece.seen
            exchange.awaited = None
        else:
            self._drop(exchange)

    def _drop(self, exchange: _Exchange) -> None:
        if exchange.awaited is not None:
            self.odd += 1
            self.rows.remove(exchange.awaited)
            exchange.awaited = None
            exchange.broken = True


def follow(segments: Iterable[Segment], tapped: Tapped, port: int) -> Passed:
    """Returns the requests to a service's port, on CLOCK_MONOTONIC. Other services of the machine may have load too.

    Raises ValueError if the clock was set meanwhile.
    """
    if abs(tapped.after - tapped.before) > STEP_NS:
        raise ValueError("the machine's clock was set while the tap listened: its times say nothing")
    follower = Follower()
    own = [segment for segment in segments if port in (segment.source[1], segment.target[1])]
    for segment in sorted(own, key=lambda segment: segment.time):
        follower.add(segment)
    requests = pd.DataFrame(follower.rows, columns=["number", "arrived", "answered"], dtype="int64")
    # A client repeats a request whose connection was closed. Nothing here shows which one the service served.
    twice = requests["number"].duplicated(keep=False)
    follower.odd += int(twice.sum())
    requests = requests[~twice].reset_index(drop=True)
    offset = (tapped.before + tapped.after) // 2
    requests["arrived"] -= offset
    requests["answered"] = requests["answered"].where(requests["answered"] == NEVER, requests["answered"] - offset)
    return Passed(requests, follower.odd, tapped.lost)


@contextmanager
def listening(file: Path) -> Iterator[list[Tapped]]:
    """Taps the loopback interface into `file` while the body runs. Afterwards the list has one entry, the tap's report.

    Raises PermissionError without the rights.
    """
    process = subprocess.Popen([sys.executable, str(TAP), str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    heard: list[Tapped] = []
    try:
        if not process.stdout.readline():
            raise PermissionError("the loopback interface can be tapped by root only")
        yield heard
        process.stdin.close()
        heard.append(Tapped(**json.loads(process.stdout.read())))
        process.wait(END_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
