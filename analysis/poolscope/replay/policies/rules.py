"""What the replay's loop reads of a pool, by kind. The native loop reads the same fields by name."""

from __future__ import annotations

from dataclasses import dataclass

NEW_THREAD_NS = 150e3
"""From Thread.Start to the first instruction of a new thread; median, measured on Linux 6.18 with .NET 10 where nothing
else ran."""


@dataclass(frozen=True)
class NetRules:
    """The rules of kind NET."""

    processors: float
    jiffy_ms: float
    """Step of the clock that the pool reads."""
    starvation: bool
    """The gate adds a thread for a pool whose queue does not move."""
    cooperative: bool
    """The pool adds threads for workers that wait for tasks."""
    idle_ms: float
    """How long a thread stays idle."""
    threads_to_keep: float
    """Threads that stay."""
    delay_step_ms: float
    max_delay_ms: float
    threads_without_delay: float
    """Up to this many beyond the minimum are added at once for workers that wait for tasks."""
    threads_per_step: float
    """Then the delay grows by a step after each of this many."""
    climbs: bool
    """Hill climbing sets the goal."""
    reads_cpu: bool
    """The gate reads the CPU time."""
    machine_cpu: bool
    """It reads that of the whole machine."""
    requests_at_once: int
    """The queue makes no more requests for workers than this."""
    warm_threads: int
    """Threads that are idle when the world begins."""
    new_thread_ns: float = NEW_THREAD_NS
    """From the creation of a thread to its first instruction."""


# Growth rules of kind REFERENCE. The gate thread of those from NET11 on adds threads.
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
