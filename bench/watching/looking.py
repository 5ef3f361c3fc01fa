"""The CPU cost of `top`, and its cost for a healthy service: stretches of one run, with and without looks, in turn."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

from .cost import DB_MS, SETTLE_S
from .processes import COLLECT, END_S, Service, usage

SIZE = (24, 80)
"""Rows and columns of the terminal."""


@dataclass(frozen=True)
class Way:
    """One way to look at the service. `name` None: not at all."""

    name: str | None
    terminal: bool = False


WAYS = (Way(None), Way("lines of JSON"), Way("view", terminal=True))


class Top:
    """`poolscope-collect top` on a process, on a pseudo-terminal or in a pipe; its output is read and counted."""

    def __init__(self, pid: int, terminal: bool) -> None:
        command = [str(COLLECT), "top", "-p", str(pid), *([] if terminal else ["--json"])]
        reader, writer = pty.openpty() if terminal else os.pipe()
        if terminal:
            os.set_blocking(reader, True)
            subprocess.run(["stty", "rows", str(SIZE[0]), "cols", str(SIZE[1])], stdin=writer, check=True)
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        stdin = writer if terminal else subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=stdin, stdout=writer, start_new_session=True, env=environment)
        os.close(writer)
        self.pid = self._process.pid
        self.written = 0
        self._reading = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._reading.start()

    def close(self) -> int:
        """Asks it to end and returns its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(END_S)

    def _read(self, reader: int) -> None:
        try:
            while data := os.read(reader, 1 << 16):
                self.written += len(data)
        except OSError:
            return  # the terminal's other end is closed


def stretch(service: Service, rate: int, seconds: float, way: Way) -> dict[str, Any]:
    """Loads the service for this long and measures it; the tool's first seconds are counted separately."""
    top = Top(service.pid, way.terminal) if way.name else None
    load = service.load("/async", rate, seconds + 2 * SETTLE_S)
    time.sleep(SETTLE_S)
    begin, cpu = time.monotonic(), service.cpu_s()
    first, written = (usage(top.pid), top.written) if top else (None, 0)
    time.sleep(seconds)
    elapsed = time.monotonic() - begin
    row: dict[str, Any] = {"rate": rate, "way": way.name, "service_ms_s": (service.cpu_s() - cpu) / elapsed * 1000}
    if top and first:
        last = usage(top.pid)
        row |= {
            "tool_ms_s": (last.cpu_s - first.cpu_s) / elapsed * 1000,
            "tool_start_ms": first.cpu_s * 1000,
            "rss_mb": last.rss_mb,
            "written_bytes_s": (top.written - written) / elapsed,
        }
    report = json.loads(load.communicate()[0])
    row["load"] = report.get("load", report)
    if top:
        row["exit"] = top.close()
    return row


def run(rate: int, pairs: int, seconds: float) -> list[dict[str, Any]]:
    """Measures one service, with a first stretch that does not count."""
    rows = []
    service = Service(DB_MS)
    try:
        service.load("/async", rate, SETTLE_S).communicate()
        for pair in range(pairs):
            for way in WAYS if pair % 2 == 0 else reversed(WAYS):
                rows.append(stretch(service, rate, seconds, way))
                print(json.dumps(rows[-1]), flush=True)
    finally:
        service.close()
    return rows
