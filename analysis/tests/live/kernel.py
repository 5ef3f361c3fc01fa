"""Checks whether this machine gives the tests the kernel's events, by the machine's state and not by a recording.

Otherwise a fault of the collector that loses the kernel's stream would skip every test of that stream.
"""

import os
from pathlib import Path

import pytest

TRACEFS = Path("/sys/kernel/tracing/events")
CAP_SYS_ADMIN, CAP_PERFMON = 21, 38


def may_trace(event, tracefs=TRACEFS, status=Path("/proc/self/status")):
    """Returns whether the kernel has this event, such as sched/sched_switch, and lets this process read it."""
    if not os.access(tracefs / event / "id", os.R_OK):
        return False
    capabilities = next(
        int(line.split()[1], 16) for line in status.read_text().splitlines() if line.startswith("CapEff")
    )
    return bool(capabilities >> CAP_PERFMON & 1 or capabilities >> CAP_SYS_ADMIN & 1)


def with_kernel(analysis):
    """Returns the analysis, which must have the kernel's stream. Skips the test if the machine does not allow one."""
    if not may_trace("sched/sched_switch"):
        pytest.skip("needs the kernel stream: root, or CAP_PERFMON and tracefs")
    assert analysis.coverage.tier == "tracepoint"
    return analysis


def split_of(analysis):
    """Returns `attribution` of analysis.json, for an analysis with the kernel's stream."""
    return with_kernel(analysis).to_json()["attribution"]


def with_sockets(capture):
    """Returns the capture, which must have socket data. Skips the test if the machine does not allow it."""
    if not may_trace("sock/sock_send_length"):
        pytest.skip("needs the kernel's socket events: root, or CAP_PERFMON and tracefs, Linux 6.3 or newer")
    assert capture.has("socket_io")
    return capture
