"""The load of the service's overhead benchmark, and the clock of another process."""

import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from overhead import plan, recorders, service

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="overhead is measured on Linux")
ANSWER = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nd", b"one\n\r\n0\r", b"\n\r\n"]


class Server:
    """A server that answers in pieces and counts; it gives at most `most` answers."""

    def __init__(self, most=10**9, answer=ANSWER):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.asked, self.most, self.answer = 0, most, answer
        self.counting = threading.Lock()
        self.on_each = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.on_each.append(0)
            threading.Thread(target=self._serve, args=(connection, len(self.on_each) - 1), daemon=True).start()

    def _serve(self, connection, number):
        while connection.recv(4096):
            with self.counting:
                self.asked += 1
                self.on_each[number] += 1
                answers = self.asked <= self.most
            if answers:
                for piece in self.answer:
                    connection.sendall(piece)
                    time.sleep(0.001)


def load(server, *how):
    host, port = server.listener.getsockname()
    command = [sys.executable, str(service.LOAD), host, str(port), "/async", *how]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def ask(process):
    process.stdin.write("\n")
    return int(process.stdout.readline())


def end(process):
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()
    process.stderr.close()


def test_a_closed_loop_sends_again_when_an_answer_is_whole():
    server = Server(most=25)
    process = load(server, "--connections", "3")
    deadline = time.monotonic() + 10
    while (ask(process) < 25 or server.asked < 28) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    # Every connection waits for an answer that does not come.
    assert (ask(process), server.asked) == (25, 28)
    end(process)


def test_a_rate_does_not_wait_for_answers():
    server = Server(most=0)
    process = load(server, "--rate", "200")
    begun = time.monotonic()
    while server.asked < 20 and time.monotonic() < begun + 10:
        time.sleep(0.01)
    # Twenty requests are due after 95 ms; on a busy machine they come later.
    assert time.monotonic() - begun > 0.08 and server.asked >= 20
    assert ask(process) == 0
    end(process)


def test_anything_but_a_good_answer_ends_the_load():
    process = load(Server(answer=[b"HTTP/1.1 500 Oh no\r\n\r\n"]), "--connections", "1")
    assert process.wait(10) == 1
    assert "no good answer" in process.stderr.read()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_the_clock_of_another_process_counts_what_its_threads_ran():
    code = (
        "import threading, time\n"
        "def run():\n"
        "    while time.thread_time() < 0.1: pass\n"
        "threads = [threading.Thread(target=run) for _ in range(2)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(time.process_time_ns(), flush=True); input()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    own = int(process.stdout.readline())
    seen = time.clock_gettime_ns(service.cpu_clock(process.pid))
    process.communicate("\n")
    assert own >= 200_000_000
    assert own <= seen < own + 100_000_000
    assert time.clock_gettime_ns(service.cpu_clock(os.getpid())) == pytest.approx(time.process_time_ns(), abs=10**7)


def test_perf_and_dotnet_trace_ask_for_what_a_capture_with_requests_has(tmp_path):
    collector = service.paths.ROOT / "collector"
    sockets = (collector / "Poolscope.PerfEvents" / "Capture" / "Events" / "SocketEvents.cs").read_text("utf-8")
    for event, chosen in recorders.SOCKET_EVENTS.items():
        system, name = event.split(":")
        assert f'("{system}", "{name}", ' in sockets and f'"{chosen}"' in sockets
    runtime = (collector / "Poolscope.Etw" / "Capture" / "RuntimeEvents.cs").read_text("utf-8")
    providers = [asked.split(":")[0] for asked in recorders.WEB_PROVIDERS.split(",")]
    assert all(f'"{provider}"' in runtime for provider in providers)
    perf = recorders.PERF_SOCKETS.command(1, tmp_path)
    assert perf.count("--filter") == len(recorders.SOCKET_EVENTS)
    assert recorders.WEB_PROVIDERS in recorders.DOTNET_TRACE_WEB.command(1, tmp_path)


def test_a_service_workload_keeps_its_environment_and_has_the_default_recorder():
    assert plan.REQUESTS.environment and not plan.REQUESTS_SPINNING.environment
    for workload in plan.SERVICES:
        assert recorders.DEFAULT in plan.BY_NAME[workload.name].recorders_of(0)


def test_open_connections_take_turns_at_a_rate():
    server = Server()
    process = load(server, "--rate", "200", "--connections", "20")
    deadline = time.monotonic() + 10
    while ask(process) < 60 and time.monotonic() < deadline:
        time.sleep(0.02)
    end(process)
    # Sixty answers over twenty connections are three each, except for those under way.
    assert len(server.on_each) == 20 and min(server.on_each) >= 2
