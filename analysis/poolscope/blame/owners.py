"""The activity of the owners of a lock while items' threads waited for it, summed up and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from poolscope.blame.stacks import StackNames, own_stack_of
from poolscope.contract.analysis_json import HeldByJson, OwnerJson, WasJson
from poolscope.naming.choice import kind_of, user_method

OWNERS_SHOWN = 5
MOSTLY = 0.5
"""An owner that was blocked for at least this share was waiting, and its wait has a kind. Wait events name its activity
if they cover at least this share."""

Sums = dict[int, float]


@dataclass
class Held:
    """The activity of one owner, or of all, while others waited for its lock. Times are thread-seconds of the
    waiters."""

    cpu: float = 0.0
    blocked: float = 0.0
    ready: float = 0.0
    thread_s: float = 0.0
    """The sum of the three above, and the time without kernel events."""
    by_event: float = 0.0
    """The part that a wait event of the owner shows."""
    event_stacks: Sums = field(default_factory=dict)
    """Thread-seconds by `stacks.id`."""
    snapshot_stacks: Sums = field(default_factory=dict)
    """The number of threads that waited at each snapshot of the owner, summed, by `stacks.id`."""
    cpu_stacks: Sums = field(default_factory=dict)
    """The same sum for CPU samples of the owner."""
    items: Sums = field(default_factory=dict)
    """Thread-seconds by `work_items.id` of the item that the owner ran."""

    def add(self, other: Held) -> None:
        self.cpu += other.cpu
        self.blocked += other.blocked
        self.ready += other.ready
        self.thread_s += other.thread_s
        self.by_event += other.by_event
        for name in ("event_stacks", "snapshot_stacks", "cpu_stacks", "items"):
            mine: Sums = getattr(self, name)
            for key, value in getattr(other, name).items():
                mine[key] = mine.get(key, 0.0) + value

    @property
    def stacks(self) -> set[int]:
        return {*self.event_stacks, *self.snapshot_stacks, *self.cpu_stacks}

    def describe(self, names: StackNames, own: Mapping[int, int]) -> _Told:
        """Returns a description of the owner's activity. `own` maps a stack from which the user's method has vanished
        to a stack that has it."""
        waiting = self.blocked >= MOSTLY * self.thread_s
        if self.by_event >= MOSTLY * self.thread_s:
            known_by, stacks = "event", self.event_stacks
        elif self.cpu_stacks and not waiting:
            known_by, stacks = "cpu-sample", self.cpu_stacks
        else:
            known_by, stacks = "snapshot", self.snapshot_stacks
        weights: Sums = {}
        for bare, weight in stacks.items():
            whole = own.get(bare, bare)
            weights[whole] = weights.get(whole, 0.0) + weight
        stack = min(weights, key=lambda s: (-weights[s], s), default=None)
        path = [] if stack is None else names.path(stack)
        place = None if stack is None else names.place(stack)
        return _Told(
            thread_s=round(self.thread_s, 6),
            was={"cpu": round(self.cpu, 6), "blocked": round(self.blocked, 6), "ready": round(self.ready, 6)},
            method=user_method(path),
            kind=kind_of(path) if path and waiting else None,
            known_by=known_by if path else None,
            file=place[0] if place else None,
            line=place[1] if place else None,
            stack=[] if stack is None else names.shown(stack),
        )


@dataclass(frozen=True)
class _Told:
    """The figures of one owner, or of all together. The field names are the keys of `held_by` in analysis.json."""

    thread_s: float
    was: WasJson
    method: str | None
    kind: str | None
    known_by: str | None
    file: str | None
    line: int | None
    stack: list[str | None]


@dataclass(frozen=True)
class Owners:
    """The owners of the locks of one row of blame."""

    by_tid: dict[int, Held]
    thread_names: dict[int, str]
    names: StackNames

    def to_json(self) -> HeldByJson:
        """Returns all owners together, and the costliest ones."""
        everyone = Held()
        for held in self.by_tid.values():
            everyone.add(held)
        costliest = sorted(self.by_tid.items(), key=lambda o: (-o[1].thread_s, o[0]))[:OWNERS_SHOWN]
        own = own_stack_of(sorted(everyone.stacks), self.names)
        told = everyone.describe(self.names, own)
        return {
            "threads": len(self.by_tid),
            "thread_s": told.thread_s,
            "was": told.was,
            "method": told.method,
            "kind": told.kind,
            "known_by": told.known_by,
            "file": told.file,
            "line": told.line,
            "stack": told.stack,
            "owners": [self._owner(tid, held, own) for tid, held in costliest],
        }

    def _owner(self, tid: int, held: Held, own: Mapping[int, int]) -> OwnerJson:
        told = held.describe(self.names, own)
        return {
            "tid": tid,
            "name": self.thread_names.get(tid),
            "item": min(held.items, key=lambda i: (-held.items[i], i)) if held.items else None,
            "thread_s": told.thread_s,
            "was": told.was,
            "method": told.method,
            "kind": told.kind,
            "known_by": told.known_by,
            "file": told.file,
            "line": told.line,
            "stack": told.stack,
        }
