"""The quietness of the machine before a run, and the cores that other processes took during it. Linux only."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

LOOK_S = 0.25
STALLED = 0.1
"""Share of a look in which some task waited for a core (PSI), from which on the machine is not quiet. No process of the
benchmark runs meanwhile; an idle machine shows less than a hundredth."""
BUSY_CORES = 0.2
"""The same for cores in use, which PSI does not show while other cores are free."""


@dataclass(frozen=True)
class Counters:
    """Counters in seconds since some fixed time."""

    wall: float
    busy: float
    """Core time of all processes."""
    own: float
    """Core time of this process and of its ended children."""
    stalled: float
    """Time in which some task waited for a core; 0 if the kernel has no PSI."""


def counters() -> Counters:
    """Reads all counters at once."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    # Neither idle (3) nor waiting for a disk (4) uses a core.
    busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = sum(u.ru_utime + u.ru_stime for u in used)
    try:
        words = Path("/proc/pressure/cpu").read_text().split()
        stalled = int(next(w for w in words if w.startswith("total=")).removeprefix("total=")) / 1e6
    except OSError:
        stalled = 0.0
    return Counters(time.monotonic(), busy, own, stalled)


def others(before: Counters, after: Counters) -> float:
    """Returns the average number of cores used meanwhile by processes outside the benchmark."""
    return max(0.0, (after.busy - before.busy) - (after.own - before.own)) / (after.wall - before.wall)


@dataclass(frozen=True)
class Look:
    """The machine's state while no process of the benchmark ran."""

    stalled: float
    """Share of the time in which some task waited for a core."""
    cores: float
    """Cores in use."""

    @property
    def quiet(self) -> bool:
        return self.stalled <= STALLED and self.cores <= BUSY_CORES


def look() -> Look:
    """Watches for LOOK_S."""
    before = counters()
    time.sleep(LOOK_S)
    after = counters()
    return Look((after.stalled - before.stalled) / (after.wall - before.wall), others(before, after))


def wait_for_quiet(patience: float) -> Look:
    """Looks until the machine is quiet, for at most this many seconds; returns the last look."""
    until = time.monotonic() + patience
    while True:
        seen = look()
        if seen.quiet or time.monotonic() >= until:
            return seen
        time.sleep(1.0)
