"""The pool of .NET Framework 4.x and of .NET Core 1 to 3.1.

Its source for .NET Core 1.0 and 3.1 is public (dotnet/coreclr, src/vm/win32threadpool.cpp and hillclimbing.cpp); the
Framework's is not: that it is the same is an inference from the lineage of the code. Left out: a collection of garbage
counts as a busy CPU for two looks of the gate, and a worker waits for one to end before it takes an item;
and that a worker leaves the queue after 30 ms and asks to be called again, which changes nothing but the requests.
"""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies.net import (
    COOPERATIVE,
    MACHINE_CPU,
    NEW_THREAD,
    NEW_THREAD_NS,
    REQUESTS_AT_ONCE,
    Net,
    NetKnobs,
)
from poolscope.replay.policies.policy import NET, Policy


@dataclass(frozen=True)
class Net4x(Policy):
    """Gate and hill climbing as in later versions, without their answer to blocked tasks."""

    min_threads: int | Steps
    max_threads: int | Steps
    processors: int
    holding: bool = True
    knobs: NetKnobs = NetKnobs(hill_climbing=HillClimbingKnobs(floor_interval_at_least_tenfold=True))
    machine_cpu: bool = False
    """True: the gate reads the use of the whole machine, as on Windows."""
    new_thread_ns: float = NEW_THREAD_NS
    """As in Net."""

    @property
    def kind(self) -> int:
        return NET

    def parameters(self) -> FloatArray:
        values = Net(self.min_threads, self.max_threads, self.processors, self.holding, self.knobs).parameters()
        values[COOPERATIVE] = 0.0
        values[MACHINE_CPU] = self.machine_cpu
        values[NEW_THREAD] = self.new_thread_ns
        values[REQUESTS_AT_ONCE] = self.processors
        return values

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return Net(self.min_threads, self.max_threads, self.processors).limits()
