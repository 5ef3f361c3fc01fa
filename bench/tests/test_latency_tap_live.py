"""The tap on the real loopback interface."""

import os
import socket
import sys
import threading
import time

import pytest

from latency.packets import read_pcap
from latency.wire import NEVER, follow, listening

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="taps loopback: Linux, root"),
]


def test_every_request_is_seen_between_its_sending_and_its_reading(tmp_path):
    listener = socket.create_server(("127.0.0.1", 0))
    read, answered, sent, got = [], [], [], []

    def serve():
        connection, _ = listener.accept()
        for _ in range(20):
            connection.recv(4096)
            read.append(time.monotonic_ns())
            answered.append(time.monotonic_ns())
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        connection.recv(4096)

    server = threading.Thread(target=serve)
    server.start()
    with listening(tmp_path / "wire.pcap") as tapped:
        with socket.create_connection(listener.getsockname()) as client:
            for number in range(21):
                sent.append(time.monotonic_ns())
                client.sendall(f"GET /any/{number} HTTP/1.1\r\n\r\n".encode())
                if number < 20:
                    client.recv(4096)
                    got.append(time.monotonic_ns())
            server.join()
    passed = follow(read_pcap(tmp_path / "wire.pcap"), tapped[0], listener.getsockname()[1])
    listener.close()
    requests = passed.requests.sort_values("number")
    assert (passed.lost, passed.odd, list(requests["number"])) == (0, 0, list(range(21)))
    arrived, reply = list(requests["arrived"]), list(requests["answered"])
    assert all(a < b < c for a, b, c in zip(sent, arrived, [*read, sys.maxsize], strict=True))
    assert all(a < b < c for a, b, c in zip(answered, reply, got, strict=False))
    assert reply[-1] == NEVER
