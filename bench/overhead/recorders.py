"""The recorders to compare, Poolscope's and others'."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import paths

START_SECONDS = 30
STOP_SECONDS = 60

# The providers of a capture's runtime stream (SessionPlan.Runtime), with the same keywords and levels.
PROVIDERS = ",".join(
    [
        "Microsoft-Windows-DotNETRuntime:0x40080014001:5",
        "System.Diagnostics.Eventing.FrameworkEventSource:0x12:5",
        "System.Threading.Tasks.TplEventSource:0x42:4",
    ]
)


WEB_PROVIDERS = ",".join(
    [
        "Microsoft-Windows-DotNETRuntime:0x40080014001:5",
        "System.Diagnostics.Eventing.FrameworkEventSource:0x12:5",
        "System.Threading.Tasks.TplEventSource:0xC2:4",
        "Microsoft.AspNetCore.Hosting:0xFFFFFFFFFFFFFFFF:4",
        "Microsoft-AspNetCore-Server-Kestrel:0xFFFFFFFFFFFFFFFF:4",
    ]
)
"""The same with web requests."""
SOCKET_EVENTS = {
    "tcp:tcp_probe": "data_len > 0",
    "sock:sock_send_length": "protocol == 6 && (ret > 0 || ret == -11)",
    "sock:sock_recv_length": "protocol == 6 && ret >= 0 && !(flags & 2)",
    "sock:inet_sock_set_state": "protocol == 6 && (newstate == 1 || newstate == 2 || newstate == 7 || newstate == 8)",
}
"""The kernel's events of a capture with sockets (SocketEvents.cs), and their filters."""


class RecorderFailed(Exception):
    """A recorder did not start; the message is its own."""


@dataclass(frozen=True)
class Recorder:
    """One way to record. `command`: returns the command for the target's id and an empty folder. `sign`: the file in
    the folder that shows that it records. `missing`: why it is unavailable, or None."""

    name: str
    title: str
    command: Callable[[int, Path], list[str]]
    sign: str
    missing: Callable[[], str | None]

    @contextmanager
    def running(self, pid: int, folder: Path, settle: float) -> Iterator[int]:
        """Records while the body runs; yields the recorder's process id once it records.

        `settle`: seconds from the sign to the body, in which the recorder finishes its start.
        """
        log = folder / "recorder.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(pid, folder),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                # A shell's background jobs ignore SIGINT, and children inherit that.
                preexec_fn=lambda: (signal.signal(signal.SIGINT, signal.SIG_DFL), None)[1],
            )
        try:
            deadline = time.monotonic() + START_SECONDS
            while not (folder / self.sign).exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RecorderFailed(f"{self.name}: {log.read_text(errors='replace').strip()}")
                time.sleep(0.02)
            time.sleep(settle)
            if process.poll() is not None:
                raise RecorderFailed(f"{self.name}: {log.read_text(errors='replace').strip()}")
            yield process.pid
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdin is not None
            process.stdin.close()


def _here() -> str | None:
    return None if paths.COLLECT.exists() else "not built: ./build.sh setup"


def _poolscope(name: str, title: str, *options: str, sign: str = "capture/snapshots") -> Recorder:
    def command(pid: int, folder: Path) -> list[str]:
        collect = [str(paths.COLLECT), "collect", "-p", str(pid), "-o", str(folder / "capture"), "--no-decode"]
        return [*collect, *options]

    return Recorder(name, title, command, sign, _here)


def _tier(tier: str) -> Recorder:
    """Returns a capture with this kernel tier; an unknown tier is refused at the start and left out."""
    return _poolscope(f"poolscope-{tier}", f"Poolscope, kernel tier `{tier}`", "--kernel", tier)


def _scheduler(pid: int, folder: Path) -> list[str]:
    return [str(paths.SCHEDULER_ONLY), str(folder)]


def _scheduler_plain(pid: int, folder: Path) -> list[str]:
    return [str(paths.SCHEDULER_ONLY), str(folder), "--plain"]


def _dotnet_trace(pid: int, folder: Path) -> list[str]:
    # Without the rundown at its end, which takes seconds and lies outside every window.
    out = str(folder / "trace.nettrace")
    return [
        str(paths.dotnet_trace()),
        "collect",
        "-p",
        str(pid),
        "-o",
        out,
        "--providers",
        PROVIDERS,
        "--rundown",
        "false",
    ]


def _dotnet_trace_web(pid: int, folder: Path) -> list[str]:
    command = _dotnet_trace(pid, folder)
    return [WEB_PROVIDERS if argument == PROVIDERS else argument for argument in command]


def _no_dotnet_trace() -> str | None:
    return None if paths.dotnet_trace() else f"not installed: {paths.dotnet_trace_install()}"


def _perf(pid: int, folder: Path) -> list[str]:
    return [
        "perf",
        "record",
        "-q",
        "-a",
        "-e",
        "sched:sched_switch,sched:sched_wakeup",
        "-o",
        str(folder / "perf.data"),
    ]


def _perf_sockets(pid: int, folder: Path) -> list[str]:
    events = [part for name, chosen in SOCKET_EVENTS.items() for part in ("-e", name, "--filter", chosen)]
    return [
        "perf",
        "record",
        "-q",
        "-a",
        "-e",
        "sched:sched_switch,sched:sched_waking",
        *events,
        "-o",
        str(folder / "perf.data"),
    ]


def _no_perf() -> str | None:
    if shutil.which("perf") is None:
        return "not installed (Debian: linux-perf)"
    return None if os.geteuid() == 0 else "needs root"


DEFAULT = _poolscope("poolscope", "Poolscope, default (tier `tracepoint` where allowed)")
SCHEDULER = Recorder(
    "scheduler",
    "Poolscope's scheduler stream alone",
    _scheduler,
    "sched.perf.data",
    lambda: None if os.geteuid() == 0 else "needs root",
)
SCHEDULER_PLAIN = Recorder(
    "scheduler-plain",
    "the same, but nothing for silent tasks",
    _scheduler_plain,
    "sched.perf.data",
    SCHEDULER.missing,
)
DOTNET_TRACE = Recorder(
    "dotnet-trace", "dotnet-trace collect, same providers", _dotnet_trace, "trace.nettrace", _no_dotnet_trace
)
PERF = Recorder("perf", "perf record -a, sched_switch and sched_wakeup", _perf, "perf.data", _no_perf)

DOTNET_TRACE_WEB = Recorder(
    "dotnet-trace-web",
    "dotnet-trace collect, same providers",
    _dotnet_trace_web,
    "trace.nettrace",
    _no_dotnet_trace,
)
PERF_SOCKETS = Recorder(
    "perf-sockets",
    "perf record -a, sched_switch, sched_waking and the socket events",
    _perf_sockets,
    "perf.data",
    _no_perf,
)
NO_SOCKETS = _poolscope("poolscope-no-sockets", "Poolscope without sockets", "--no-sockets")
NO_REQUESTS = _poolscope("poolscope-no-requests", "Poolscope without requests", "--no-requests")
NEITHER = _poolscope(
    "poolscope-no-sockets-no-requests", "Poolscope without sockets and requests", "--no-sockets", "--no-requests"
)
WEB = [NO_SOCKETS, NO_REQUESTS, NEITHER, DOTNET_TRACE_WEB, PERF_SOCKETS]

# Every tier of the collector; a tier that is refused here is left out, with its reason.
TIERS = [_tier("switch"), _tier("schedstat"), _tier("none")]

TARGET_ONLY = _poolscope(
    "poolscope-target", "Poolscope, kernel events of the process alone (`--scope target`)", "--scope", "target"
)

RUNTIME_ONLY = _poolscope(
    "poolscope-runtime-only",
    "Poolscope, runtime stream alone",
    *["--kernel", "none", "--no-waits", "--snapshots", "0"],
    sign="capture/runtime.nettrace",
)
PARTS = [
    _poolscope(
        "poolscope-no-snapshots", "Poolscope without snapshots", "--snapshots", "0", sign="capture/waits.nettrace"
    ),
    _poolscope("poolscope-no-waits", "Poolscope without the waits stream", "--no-waits"),
    RUNTIME_ONLY,
]

ALL = [DEFAULT, *TIERS, TARGET_ONLY, *PARTS, SCHEDULER, SCHEDULER_PLAIN, DOTNET_TRACE, PERF, *WEB]
BY_NAME = {recorder.name: recorder for recorder in ALL}
