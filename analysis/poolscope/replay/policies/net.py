"""The pools of .NET 6 to 10 (dotnet/runtime, PortableThreadPool), and of .NET Framework 4.x and .NET Core 1 to 3.1:
their settings.

The rules themselves are in `loop.threads` and `loop.events` (the request chain), `loop.gate` (starvation, blocked
tasks, idle threads), and `hill_climbing`.

The source of the older pool for .NET Core 1.0 and 3.1 is public (dotnet/coreclr, src/vm/win32threadpool.cpp and
hillclimbing.cpp). The Framework's is not: that it is the same is an inference from the lineage of the code.

Left out: a garbage collection counts as a busy CPU for two checks of the gate; a worker waits for a collection to end
before it takes an item; a worker leaves the queue after 30 ms and requests to be called again, which changes only the
requests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies.policy import NET, NEW_THREAD_NS, NetRules, Policy, limits_of

LARGEST_MAX_THREADS = 32767
"""The runtime counts threads in 16 bits."""


@dataclass(frozen=True)
class NetKnobs:
    """Settings of the runtime (DOTNET_ThreadPool_*, System.Threading.ThreadPool.*), with .NET 10's defaults."""

    disable_starvation_detection: bool = False
    cooperative_blocking: bool = True
    thread_timeout_ms: float = 20_000.0
    """ThreadTimeoutMs: how long a thread stays idle. -1: for ever."""
    threads_to_keep_alive: int = 0
    """ThreadsToKeepAlive: the threads that stay. -1: all."""
    cpu_utilization_interval_ms: int = 1
    """CpuUtilizationIntervalMs. 0: the gate reads no CPU time and assumes that it is low."""
    threads_to_add_without_delay: float = 1.0
    """ThreadsToAddWithoutDelay_ProcCountFactor, times the processors."""
    threads_per_delay_step: float = 1.0
    """ThreadsPerDelayStep_ProcCountFactor, times the processors."""
    delay_step_ms: float = 25.0
    max_delay_ms: float = 250.0
    hill_climbing: HillClimbingKnobs = HillClimbingKnobs()
    jiffy_ms: float = 4.0
    """The step of the clock that the pool reads: a timer tick of the kernel on Linux, 4 ms at 250 Hz, 1 at 1000; about
    15.6 on Windows."""


@dataclass(frozen=True)
class Net(Policy):
    """.NET 6 to 10. Limits may change while it runs, as with SetMinThreads and SetMaxThreads."""

    min_threads: int | Steps
    max_threads: int | Steps
    processors: int
    """The runtime's Environment.ProcessorCount: affinity and quota, rounded up."""
    holding: bool = True
    knobs: NetKnobs = NetKnobs()
    warm_threads: int = 0
    """Idle threads that exist when the world begins. 0: a process that has just started."""
    new_thread_ns: float = NEW_THREAD_NS
    """From the creation of a thread to its first instruction, on an idle core."""

    @property
    def kind(self) -> int:
        return NET

    def rules(self) -> NetRules:
        knobs = self.knobs
        return NetRules(
            processors=self.processors,
            jiffy_ms=knobs.jiffy_ms,
            starvation=not knobs.disable_starvation_detection,
            cooperative=knobs.cooperative_blocking,
            idle_ms=np.inf if knobs.thread_timeout_ms < 0 else knobs.thread_timeout_ms,
            threads_to_keep=np.inf if knobs.threads_to_keep_alive < 0 else knobs.threads_to_keep_alive,
            delay_step_ms=knobs.delay_step_ms,
            max_delay_ms=knobs.max_delay_ms,
            threads_without_delay=max(1.0, self.processors * knobs.threads_to_add_without_delay),
            threads_per_step=max(1.0, self.processors * knobs.threads_per_delay_step),
            climbs=not knobs.hill_climbing.disable,
            reads_cpu=knobs.cpu_utilization_interval_ms > 0,
            machine_cpu=False,
            requests_at_once=1,
            warm_threads=self.warm_threads,
            new_thread_ns=self.new_thread_ns,
        )

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        time, least, most = limits_of(self.min_threads, self.max_threads)
        return time, np.minimum(least, LARGEST_MAX_THREADS), np.minimum(most, LARGEST_MAX_THREADS)


def climbing_knobs(policy: Policy) -> HillClimbingKnobs:
    """Returns the settings of hill climbing. A pool without hill climbing gets the defaults, which nothing reads."""
    knobs = getattr(policy, "knobs", None)
    return knobs.hill_climbing if isinstance(knobs, NetKnobs) else HillClimbingKnobs()


@dataclass(frozen=True)
class Net4x(Policy):
    """Gate and hill climbing as in later versions, without the reaction to blocked tasks."""

    min_threads: int | Steps
    max_threads: int | Steps
    processors: int
    holding: bool = True
    knobs: NetKnobs = NetKnobs(hill_climbing=HillClimbingKnobs(floor_interval_at_least_tenfold=True))
    machine_cpu: bool = False
    """True if the gate reads the use of the whole machine, as on Windows."""
    new_thread_ns: float = NEW_THREAD_NS
    """As in Net."""

    @property
    def kind(self) -> int:
        return NET

    def rules(self) -> NetRules:
        pool = Net(self.min_threads, self.max_threads, self.processors, self.holding, self.knobs).rules()
        return replace(
            pool,
            cooperative=False,
            machine_cpu=self.machine_cpu,
            requests_at_once=self.processors,
            new_thread_ns=self.new_thread_ns,
        )

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return Net(self.min_threads, self.max_threads, self.processors).limits()
