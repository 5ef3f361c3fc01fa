"""The bundled web service as a recorded process: its items are answered requests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from . import paths
from .target import END_SECONDS, Reading

LOAD = Path(__file__).with_name("http_load.py")
ENDPOINT = "/async"
_SCHEDULED = 2
"""The kernel's number of a process's clock that counts the time for which its threads ran (CPUCLOCK_SCHED)."""


def cpu_clock(pid: int) -> int:
    """Returns the clock of a process's CPU time, ended threads included, for `time.clock_gettime_ns`; computed like
    clock_getcpuclockid(3)."""
    return (~pid << 3) | _SCHEDULED


class ServiceTarget:
    """The service, its database, and a load from a third process that shares the cores."""

    def __init__(
        self, load: Sequence[str], db_ms: int, environment: Iterable[tuple[str, str]] = (), endpoint: str = ENDPOINT
    ) -> None:
        """Returns when the service listens and the load has begun. `load`: arguments of http_load.py; `environment`:
        that of the service, not of its database."""
        self._endpoint = endpoint
        serve = [str(paths.SERVICE), "serve", "--fault", "none", "--db-ms", str(db_ms)]
        self._service = subprocess.Popen(
            serve,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **dict(environment)},
        )
        self.pid = self._service.pid
        self.load_pid = 0
        self._clock = cpu_clock(self.pid)
        try:
            url = urlsplit(self._address())
            client = [sys.executable, str(LOAD), str(url.hostname), str(url.port), url.path, *load]
            self._load = subprocess.Popen(client, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.load_pid = self._load.pid
        except BaseException:
            self._stop_service()
            raise

    def read(self) -> Reading:
        """Returns the answers, and the CPU time of the service alone: all of it as `user_ns`, because this clock does
        not split it."""
        assert self._load.stdin is not None and self._load.stdout is not None
        self._load.stdin.write("\n")
        self._load.stdin.flush()
        line = self._load.stdout.readline()
        if not line:
            raise RuntimeError(f"the load ended with exit code {self._load.wait()}")
        return Reading(int(line), time.monotonic_ns(), time.clock_gettime_ns(self._clock), 0)

    def close(self) -> None:
        """Ends the load, then the service with its database."""
        assert self._load.stdin is not None and self._load.stdout is not None
        self._load.stdin.close()
        try:
            self._load.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._load.kill()
            self._load.wait()
        self._load.stdout.close()
        self._stop_service()

    def _address(self) -> str:
        assert self._service.stdout is not None
        for line in self._service.stdout:
            if line.strip().endswith(self._endpoint):
                return line.strip()
        raise RuntimeError(f"the service ended with exit code {self._service.wait()}")

    def _stop_service(self) -> None:
        assert self._service.stdout is not None
        self._service.terminate()
        try:
            self._service.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._service.kill()
            self._service.wait()
        self._service.stdout.close()
