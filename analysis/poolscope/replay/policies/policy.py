"""The interface of every policy of a pool, and two without a queue: a fixed number of items at a time, and a thread for
each item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps

ALLOWED = 0
"""No pool at all: an item starts while fewer than this many hold a thread."""
DEDICATED = 1
"""A new thread for every item."""
NET = 2
"""The request chain and gate thread of .NET Framework 4 and .NET 5 and later."""
REFERENCE = 3
"""One queue, threads that park, and a growth rule that depends on both: the pools up to .NET 3.5, and fixed pools."""


@dataclass(frozen=True)
class Policy:
    """How a pool gives its items threads. Policies are data: the loop selects the rules by `kind`."""

    @property
    def kind(self) -> int:
        """One of this module's constants."""
        raise NotImplementedError

    @property
    def holding(self) -> bool:
        """True if a blocked item keeps its thread. If False, it gives the thread back, as with await, and is queued
        again when it may continue."""
        raise NotImplementedError

    def rules(self) -> NetRules | ReferenceRules | None:
        """Returns the rules of this kind, or None if it has none."""
        return None

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Returns the limits of the threads over time: time in ns, min, max. Kinds without a minimum repeat the
        maximum."""
        raise NotImplementedError


def limits_of(minimum: int | Steps, maximum: int | Steps) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Puts two limits on one time axis. Raises ValueError if a minimum is below 1 or above the maximum."""
    low = minimum if isinstance(minimum, Steps) else Steps.constant(float(minimum))
    high = maximum if isinstance(maximum, Steps) else Steps.constant(float(maximum))
    time = np.union1d(low.time, high.time)
    lows, highs = low.at(time), high.at(time)
    if (lows < 1).any() or (lows > highs).any():
        raise ValueError(f"threads must be 1 <= min <= max: min {lows.max():g}, max {highs.min():g}")
    return time, lows, highs


@dataclass(frozen=True)
class Allowed(Policy):
    """Not a pool, but the bound against which a pool would be measured."""

    threads: Steps
    """How many items may hold a thread at once. inf: no limit."""
    holding: bool = True

    @property
    def kind(self) -> int:
        return ALLOWED

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.threads.time, self.threads.value, self.threads.value


@dataclass(frozen=True)
class Dedicated(Policy):
    """Every item has its own thread from its arrival on. The thread ends with the item."""

    @property
    def kind(self) -> int:
        return DEDICATED

    @property
    def holding(self) -> bool:
        return True

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.zeros(1), np.full(1, np.inf), np.full(1, np.inf)


NEW_THREAD_NS = 150e3
"""From Thread.Start to the first instruction of a new thread: the median, measured on Linux 6.18 with .NET 10 on an
idle machine."""


@dataclass(frozen=True)
class NetRules:
    """The rules of kind NET."""

    processors: float
    jiffy_ms: float
    """The step of the clock that the pool reads."""
    starvation: bool
    """True if the gate adds a thread when the queue does not move."""
    cooperative: bool
    """True if the pool adds threads for workers that wait for tasks."""
    idle_ms: float
    """How long a thread stays idle."""
    threads_to_keep: float
    """The number of threads that stay."""
    delay_step_ms: float
    max_delay_ms: float
    threads_without_delay: float
    """The number beyond the minimum that is added at once for workers that wait for tasks."""
    threads_per_step: float
    """The delay grows by a step after each of this many further threads."""
    climbs: bool
    """True if hill climbing sets the goal."""
    reads_cpu: bool
    """True if the gate reads the CPU time."""
    machine_cpu: bool
    """True if it reads that of the whole machine."""
    requests_at_once: int
    """The most requests for workers that the queue makes at once."""
    warm_threads: int
    """The number of threads that are idle when the world begins."""
    new_thread_ns: float = NEW_THREAD_NS
    """From the creation of a thread to its first instruction."""


# Growth rules of kind REFERENCE. From NET11 on, the gate thread adds threads.
FIXED = 0
INSTANT = 1
NET11 = 2
NET35 = 3
ROTOR = 4


@dataclass(frozen=True)
class ReferenceRules:
    """The rules of kind REFERENCE."""

    growth: int
    """One of this module's growth rules."""
    idle_ms: float
    """How long a thread stays idle."""
    processors: int = 0
