"""Thread-seconds that workers were blocked inside items while other items waited in the queue, by code and kind."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poolscope.attribution import Attribution
from poolscope.blame.evidence import EVENT, NONE, Blocked, gather
from poolscope.blame.kinds import kind_of, user_method
from poolscope.capture import Capture
from poolscope.capture.schema import enum
from poolscope.units import NS_PER_S

STACKS_SHOWN = 3
ROWS_SHOWN = 20


@dataclass
class BlameRow:
    """One method and kind of wait."""

    method: str | None
    """The user's method nearest to the leaf; None: no stack, or none of its code has a name."""
    kind: str
    thread_s: float = 0.0
    event_s: float = 0.0
    """Of thread_s: told by a wait event; the rest of what has a stack by a snapshot."""
    stacks: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    """Thread-seconds by `stacks.id`."""


@dataclass(frozen=True)
class Blame:
    """Rows, dearest first, those without a stack last, and what they leave open."""

    rows: list[BlameRow]
    total_s: float
    """Thread-seconds blocked while items waited: the rows add up to it."""
    unknown_s: float
    """Of these without a stack."""
    nodes: int
    """Frames in the tree of all stacks."""
    unresolved: int
    """Of these without a name."""
    names: dict[int, list[str | None]]
    """The methods of each stack that a row refers to, leaf first."""

    def to_json(self) -> list[dict[str, Any]]:
        known = [row for row in self.rows if row.stacks]
        return [self._row(row) for row in known[:ROWS_SHOWN] + self.rows[len(known) :]]

    def _row(self, row: BlameRow) -> dict[str, Any]:
        dearest = sorted(row.stacks.items(), key=lambda s: (-s[1], s[0]))[:STACKS_SHOWN]
        return {
            "method": row.method,
            "kind": row.kind,
            "thread_s": round(row.thread_s, 6),
            "share": round(row.thread_s / self.total_s, 6),
            "event_s": round(row.event_s, 6),
            "stacks": [{"thread_s": round(s, 6), "frames": self.names[stack]} for stack, s in dearest],
        }


def assign_blame(capture: Capture, attribution: Attribution) -> Blame | None:
    """None where it cannot be told: without a kernel stream (no blocked time) or without any stacks."""
    if capture.kernel_tier == "none" or not all(capture.has(t) for t in ("stacks", "frames", "waits")):
        return None
    blocked = gather(capture, attribution)
    parent = capture.table("stacks")["parent"].to_numpy()
    frame = capture.table("stacks")["frame"].to_numpy()
    frames = capture.table("frames")
    resolved = frames["resolved"].to_numpy() == enum("frames", "resolved", "resolved")
    method = [str(name) if known else None for name, known in zip(frames["method"], resolved, strict=True)]

    names: dict[int, list[str | None]] = {}
    for stack in np.unique(blocked.stack[blocked.stack >= 0]).tolist():
        path, node = [], stack
        while node >= 0:
            path.append(method[frame[node]])
            node = int(parent[node])
        names[stack] = path

    rows = _rows(blocked, names)
    nameless = frames["resolved"].to_numpy() == enum("frames", "resolved", "unresolved")
    unresolved = 0 if len(frame) == 0 else int(nameless[frame].sum())
    return Blame(
        rows=sorted(rows, key=lambda r: (not r.stacks, -r.thread_s, r.kind, r.method or "")),
        total_s=float(blocked.held.sum()) / NS_PER_S,
        unknown_s=float(blocked.held[blocked.origin == NONE].sum()) / NS_PER_S,
        nodes=len(frame),
        unresolved=unresolved,
        names=names,
    )


def _rows(blocked: Blocked, names: dict[int, list[str | None]]) -> list[BlameRow]:
    rows: dict[tuple[str | None, str], BlameRow] = {}
    columns = np.stack((blocked.stack, blocked.origin, blocked.lock, blocked.waited))
    groups, where = np.unique(columns, axis=1, return_inverse=True)
    held = np.bincount(where.ravel(), blocked.held, groups.shape[1]) / NS_PER_S
    for (stack, origin, lock, waited), seconds in zip(groups.T.tolist(), held.tolist(), strict=True):
        path = names.get(stack, [])
        kind = "lock" if lock else kind_of(path) if path else "unknown"
        if kind == "unknown" and waited:
            kind = "wait-handle"
        key = (user_method(path), kind)
        row = rows.setdefault(key, BlameRow(*key))
        row.thread_s += seconds
        row.event_s += seconds if origin == EVENT else 0.0
        if stack >= 0:
            row.stacks[stack] += seconds
    return list(rows.values())
