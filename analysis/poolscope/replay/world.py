"""What surrounds the items: a pool on cores that others want too."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.series import Steps
from poolscope.replay.policies.policy import Policy


@dataclass(frozen=True)
class World:
    """One world. The step functions must begin no later than the first arrival, or hold from there on."""

    cores: Steps
    """CPUs' worth of time per second; 0 while the runtime is suspended; inf: no contention."""
    competitors: Steps
    """Other runnable threads that share the cores; a mean over a bin may be a fraction."""
    policy: Policy
    seed: int = 0
    """Of everything that is drawn (phase of the clocks, hill climbing's intervals): the same seed, the same outcome."""

    @staticmethod
    def constant(policy: Policy, cores: float, competitors: float = 0.0, seed: int = 0) -> World:
        """Returns the same cores and competitors at all times."""
        return World(Steps.constant(cores), Steps.constant(competitors), policy, seed)
