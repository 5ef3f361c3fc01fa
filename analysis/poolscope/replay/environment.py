"""What surrounds the items in one world: threads, cores and competitors over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.arrays import FloatArray
from poolscope.series import Steps


@dataclass(frozen=True)
class Environment:
    """Step functions on one time axis. Each value holds from its time up to the next, the last one for ever."""

    time: FloatArray
    """Shape (steps,), ns from the start of the capture, increasing; the first must not be after the first arrival."""
    threads: FloatArray
    """Shape (steps,): how many items may hold a thread at once; inf: no limit."""
    cores: FloatArray
    """Shape (steps,): CPUs' worth of time per second; 0 while the runtime is suspended; inf: no contention."""
    competitors: FloatArray
    """Shape (steps,): other runnable threads that share the cores; a mean over a bin may be a fraction."""
    holding: bool = True
    """True: an item holds its thread while it is blocked. False: it gives the thread back, as with await."""

    @staticmethod
    def constant(threads: float, cores: float, competitors: float = 0.0, holding: bool = True) -> Environment:
        """The same at all times."""
        return Environment(
            time=np.zeros(1),
            threads=np.array([threads], dtype=np.float64),
            cores=np.array([cores], dtype=np.float64),
            competitors=np.array([competitors], dtype=np.float64),
            holding=holding,
        )

    @staticmethod
    def of(threads: Steps, cores: Steps, competitors: Steps, holding: bool) -> Environment:
        """Merges three step functions onto one axis."""
        time = np.unique(np.concatenate((threads.time, cores.time, competitors.time)))
        return Environment(time, threads.at(time), cores.at(time), competitors.at(time), holding)
