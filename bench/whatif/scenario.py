"""A scenario: a workload as it is captured, and changes that can be both predicted and run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WORKLOADS = "poolscope-workloads"
SERVICE = "poolscope-service"

ITEMS = "items"
"""Figures of every work item of the capture, which a prediction describes."""
TRUTH = "truth"
"""Figures of the workload's own items by its own clock, or of its tasks if each has a thread. They serve changes after
which an item is no longer one work item: an awaited item is several, and one with its own thread is none."""


@dataclass(frozen=True)
class Program:
    """The command that the collector starts."""

    arguments: tuple[str, ...]
    name: str = WORKLOADS
    cpus: int | None = None
    """Number of the first CPUs on which it runs; None: on all."""
    environment: tuple[tuple[str, str], ...] = ()

    def cpu_list(self) -> str:
        """Returns the CPUs for taskset; valid only if `cpus` is set."""
        return "0" if self.cpus is None or self.cpus == 1 else f"0-{self.cpus - 1}"

    def text(self) -> str:
        """Returns the command as a user would type it. Two programs are equal if this is equal."""
        words = [f"{name}={value}" for name, value in self.environment]
        words += [] if self.cpus is None else ["taskset", "-c", self.cpu_list()]
        return " ".join([*words, self.name, "run", *self.arguments])


@dataclass(frozen=True)
class Change:
    """One changed setting: `asked` are the fields of `poolscope.whatif.Setting`, `program` is its real form."""

    name: str
    program: Program
    asked: dict[str, Any] = field(hash=False)
    figures: str = ITEMS
    deadlock: bool = False
    """Expected to stop forever. It is run once, and ended after `STUCK_AFTER_S`."""


@dataclass(frozen=True)
class Scenario:
    """A workload, captured once unchanged, and at least three changes of it."""

    name: str
    baseline: Program
    changes: tuple[Change, ...]


STUCK_AFTER_S = 8.0
"""Far longer than sixty started threads need to end if they can."""
