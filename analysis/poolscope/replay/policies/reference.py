"""Pools with one queue, threads that park, and a growth rule: places of their parameters, and what they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import REFERENCE, Policy, limits_of

GATE_PERIOD_MS = 500.0
"""All of these pools with a gate look twice a second (SSCLI win32threadpool.cpp; M. Kennedy 2008 for .NET 1.1)."""
IDLE_MS = 40_000.0
"""How long an idle thread stays (SSCLI win32threadpool.cpp)."""

# Growth rules.
FIXED = 0
INSTANT = 1
NET11 = 2
NET35 = 3
ROTOR = 4

# Places in the parameters of kind REFERENCE.
RULE = 0
PROCESSORS = 1
IDLE = 2
COUNT = 3


def parameters_of(rule: int, idle_ms: float, processors: int = 0) -> FloatArray:
    """Returns the parameters of a policy of kind REFERENCE, shape (COUNT,)."""
    values = np.zeros(COUNT)
    values[RULE], values[PROCESSORS], values[IDLE] = rule, processors, idle_ms
    return values


@dataclass(frozen=True)
class ReferencePolicy(Policy):
    """What the policies of this kind share. Threads are created at an enqueue or by a gate thread, by the rule."""

    min_threads: int
    max_threads: int
    processors: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    @property
    def rule(self) -> int:
        """One of this module's growth rules."""
        raise NotImplementedError

    @property
    def idle_ms(self) -> float:
        """How long an idle thread stays."""
        return IDLE_MS

    def parameters(self) -> FloatArray:
        return parameters_of(self.rule, self.idle_ms, self.processors)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.min_threads, self.max_threads)
