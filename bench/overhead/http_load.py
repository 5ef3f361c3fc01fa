"""A load of HTTP/1.1 requests on one thread, as a separate program: `python http_load.py HOST PORT PATH --rate N`. With
`--connections N` instead it is a closed loop, in which each connection sends its next request when it has its answer.
With both, N connections stay open and take turns.

It answers each line on standard input with the number of answers so far, and ends when standard input is closed. A
client that costs little leaves the cores to the service: the bundled load generator records times of each request and
takes several times as much.
"""

from __future__ import annotations

import argparse
import os
import select
import socket
import sys
import time
from collections import deque

END_OF_ANSWER = b"\r\n0\r\n\r\n"
"""The end of an answer: the service's answers are chunked, and this is the last chunk."""
GOOD = b"HTTP/1.1 200 "
MOST_CONNECTIONS = 500
"""Maximum number of connections for a rate without `--connections`, which opens one for each unanswered request plus
one."""
LONGEST_READ = 65536


class Load:
    """Connections that wait for an answer, and idle ones. `answers`: the number of good answers received whole."""

    def __init__(self, host: str, port: int, path: str, most: int = MOST_CONNECTIONS) -> None:
        self.answers = 0
        self._most = most
        self.poll = select.epoll()
        self.idle: deque[int] = deque()
        self._address = (host, port)
        self._request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        self._sockets: dict[int, socket.socket] = {}
        self._got: dict[int, bytes] = {}
        self.turns = False

    def connect(self) -> int:
        """Opens one more connection. Raises OSError if the service does not accept it."""
        connection = socket.create_connection(self._address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        number = connection.fileno()
        self._sockets[number] = connection
        self.poll.register(number, select.EPOLLIN)
        return number

    def send(self) -> bool:
        """Sends one request, over an idle connection or a new one; returns False if too many are unanswered."""
        if not self.idle and len(self._sockets) >= self._most:
            return False
        number = self.idle.pop() if self.idle else self.connect()
        self._got[number] = b""
        self._sockets[number].send(self._request)
        return True

    def read(self, number: int) -> bool:
        """Reads from a connection; returns True if its answer is complete. Raises RuntimeError for anything but a good
        answer."""
        part = self._sockets[number].recv(LONGEST_READ)
        got = self._got[number] + part
        if not part or not got.startswith(GOOD[: len(got)]):
            raise RuntimeError(f"no good answer: {got[:100]!r}")
        self._got[number] = got
        if not got.endswith(END_OF_ANSWER):
            return False
        self.answers += 1
        # The last connection sends next: the one idle longest if connections take turns, otherwise the one used most
        # recently.
        (self.idle.appendleft if self.turns else self.idle.append)(number)
        return True


def run(load: Load, rate: float, connections: int) -> None:
    """Sends until standard input ends. `rate`: requests a second at equal intervals; 0: the closed loop of
    `connections`."""
    load.turns = rate > 0 and connections > 0
    asked = sys.stdin.fileno()
    load.poll.register(asked, select.EPOLLIN | select.EPOLLHUP)
    for _ in range(connections):
        if rate:
            load.idle.appendleft(load.connect())
        else:
            load.send()
    begun, sent = time.monotonic(), 0
    while True:
        due = begun + sent / rate - time.monotonic() if rate else None
        for number, _ in load.poll.poll(-1 if due is None else max(0.0, due)):
            if number == asked:
                lines = os.read(asked, LONGEST_READ).count(b"\n")
                if not lines:
                    return
                print(*[load.answers] * lines, sep="\n", flush=True)
            elif load.read(number) and not rate:
                load.send()
        while rate and begun + sent / rate <= time.monotonic():
            # A request that cannot be sent is left out; the number of answers shows it.
            load.send()
            sent += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("path")
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--connections", type=int, default=0)
    given = parser.parse_args()
    most = given.connections if given.rate and given.connections else MOST_CONNECTIONS
    run(Load(given.host, given.port, given.path, most), given.rate, given.connections)


if __name__ == "__main__":
    main()
