"""What a scenario is: a workload as it is captured, and changes that can be both predicted and run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WORKLOADS = "poolscope-workloads"
SERVICE = "poolscope-service"

ITEMS = "items"
"""Figures of every work item of the capture: what a prediction is about."""
TRUTH = "truth"
"""Figures of the workload's own items, by its own clock, or of its tasks where each has a thread. For changes after which an item is no longer one work item:
awaited, it is several; with a thread of its own it is none."""


@dataclass(frozen=True)
class Program:
    """What the collector starts."""

    arguments: tuple[str, ...]
    name: str = WORKLOADS
    cpus: int | None = None
    """Keep it on the first this many CPUs; None: on all."""
    environment: tuple[tuple[str, str], ...] = ()

    def cpu_list(self) -> str:
        """Returns the CPUs for taskset; only if `cpus` says how many."""
        return "0" if self.cpus is None or self.cpus == 1 else f"0-{self.cpus - 1}"

    def text(self) -> str:
        """Returns the command as a person would type it. Two programs are the same if this is the same."""
        words = [f"{name}={value}" for name, value in self.environment]
        words += [] if self.cpus is None else ["taskset", "-c", self.cpu_list()]
        return " ".join([*words, self.name, "run", *self.arguments])


@dataclass(frozen=True)
class Change:
    """One changed setting: `asked` are the fields of `poolscope.whatif.Setting`, `program` is the same for real."""

    name: str
    program: Program
    asked: dict[str, Any] = field(hash=False)
    figures: str = ITEMS
    deadlock: bool = False
    """Expected to stop for ever. It is run once, and ended after `STUCK_AFTER_S`."""


@dataclass(frozen=True)
class Scenario:
    """A workload, captured once as it is, and at least three changes of it."""

    name: str
    baseline: Program
    changes: tuple[Change, ...]


STUCK_AFTER_S = 8.0
"""Far longer than sixty started threads need to end, if they can."""
