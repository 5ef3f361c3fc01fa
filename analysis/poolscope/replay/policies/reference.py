"""Pools with one queue, threads that park, and a growth rule: their common part, and each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import (
    FIXED,
    INSTANT,
    NET11,
    NET35,
    REFERENCE,
    ROTOR,
    Policy,
    ReferenceRules,
    limits_of,
)

GATE_PERIOD_MS = 500.0
"""All of these pools that have a gate check twice a second (SSCLI win32threadpool.cpp; M. Kennedy 2008 for .NET
1.1)."""
IDLE_MS = 40_000.0
"""How long an idle thread stays (SSCLI win32threadpool.cpp)."""


@dataclass(frozen=True)
class ReferencePolicy(Policy):
    """The common part of the policies of this kind. By the rule, an enqueue or a gate thread creates threads."""

    min_threads: int
    max_threads: int
    processors: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    @property
    def growth(self) -> int:
        """One of the growth rules."""
        raise NotImplementedError

    @property
    def idle_ms(self) -> float:
        """How long an idle thread stays."""
        return IDLE_MS

    def rules(self) -> ReferenceRules:
        return ReferenceRules(self.growth, self.idle_ms, self.processors)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.min_threads, self.max_threads)


@dataclass(frozen=True)
class Fixed(Policy):
    """A fixed number of threads, all created before the first item: S. Toub's ManagedThreadPool sample (MSDN, 2003 and
    2004), whose widely copied revision has ten."""

    threads: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    def rules(self) -> ReferenceRules:
        return ReferenceRules(FIXED, np.inf)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.threads, self.threads)


KEEP_IDLE_MS = 20_000.0
"""How long the pool of .NET 6 to 10 keeps an idle thread (dotnet/runtime, PortableThreadPool)."""


@dataclass(frozen=True)
class Instant(Policy):
    """Creates a thread at once for every item that no idle thread can take. No such pool existed, but it shows what
    "never short of threads" looks like when it runs."""

    max_threads: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    def rules(self) -> ReferenceRules:
        return ReferenceRules(INSTANT, KEEP_IDLE_MS)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.max_threads, self.max_threads)


NET11_THREADS_PER_PROCESSOR = 25


@dataclass(frozen=True)
class Net11(ReferencePolicy):
    """The pool of .NET 1.1: as many threads as processors at once, then one each half second while items are queued and
    no thread is idle, up to 25 for each processor.

    Known: "one every 500 milliseconds until it hits its upper limit" (M. Kennedy 2008; J. Julmar says the same); 25
    threads for each processor (documentation of .NET 1.1 and 2.0). Uncertain, and left out: whether the gate skipped a
    check if the queue was shrinking, as the shared source of the time does (`rotor`). The idle timeout is the shared
    source's.
    """

    @staticmethod
    def on(processors: int, holding: bool = True) -> Net11:
        """Returns the pool with its default limits."""
        return Net11(processors, NET11_THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def growth(self) -> int:
        return NET11


NET35_THREADS_PER_PROCESSOR = 250


@dataclass(frozen=True)
class Net35(ReferencePolicy):
    """The pool of .NET 3.5 (2.0 SP1): as many threads as processors at once, then one after ever longer gaps, up to 250
    for each processor.

    Known: 250 threads for each processor instead of 25, and gaps that grow, a "logarithmic backoff" (InfoQ, M. Kennedy
    and J. Julmar, 2008). The formula was never published. The model is the shared source's: 500 x 1.1^k ms before the
    (k+1)th thread beyond the processors (`rotor`). Also uncertain: whether gaps were rounded up to a tick of the gate;
    here they are not. SP1's defect (one thread per 500 ms below the minimum as well) is left out.
    """

    @staticmethod
    def on(processors: int, holding: bool = True) -> Net35:
        """Returns the pool with its default limits."""
        return Net35(processors, NET35_THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def growth(self) -> int:
        return NET35


ROTOR_THREADS_PER_PROCESSOR = 25


@dataclass(frozen=True)
class Rotor(ReferencePolicy):
    """The pool of the shared-source CLR, version 1 of November 2002 ("Rotor", its win32threadpool.cpp).

    It creates as many threads as processors at once. Beyond that, a gate thread checks every half second. It creates a
    thread if the queue has not shrunk since its last check and the last creation is more than 500 x 1.1^k ms ago, where
    k is the number of threads beyond the processors.

    Uncertain: whether the shipped CLR of the time used this branch, which the source calls the one for systems without
    a CPU counter. Left out: no thread was created at an enqueue during a garbage collection, an enqueue woke every idle
    thread, and behind a long queue threads stayed idle for 81 s instead of 40.
    """

    @staticmethod
    def on(processors: int, holding: bool = True) -> Rotor:
        """Returns the pool with its default limits."""
        return Rotor(processors, ROTOR_THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def growth(self) -> int:
        return ROTOR
