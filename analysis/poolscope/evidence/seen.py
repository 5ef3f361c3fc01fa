"""In which code threads were found meanwhile, by waits, snapshots and CPU samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.lookup import latest
from poolscope.blame.kinds import user_method
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.naming import is_user


@dataclass(frozen=True)
class Seen:
    """Where stacks of threads were found."""

    method: str | None
    """The application's method that they were in most often; None: in none."""
    found: int
    """How often they were in that."""
    looks: int
    """How often a stack of theirs was seen at all."""
    call: str | None
    """The framework's method that they were in most often if none is the application's; None: unknown."""


def seen_in(capture: DecodedCapture, attribution: Attribution, tid: IntArray, begin: IntArray, end: IntArray) -> Seen:
    """Counts the stacks seen in stretches (`tid`, `begin`, `end`), shape (stretches,), in ns from the start of the
    window. Stretches of one thread do not overlap."""
    names, stacks = stack_names(capture, attribution), []
    order = np.lexsort((begin, tid))
    tid, begin, end = tid[order], begin[order], end[order]
    for table in ("waits", "snapshots", "cpu_samples"):
        if not capture.has(table):
            continue
        rows = capture.table(table)
        rows = rows[np.isin(rows["tid"].to_numpy(), tid) & (rows["stack"].to_numpy() >= 0)]
        since = rows["start" if table == "waits" else "time"].to_numpy() - capture.window[0]
        until = rows["end"].to_numpy() - capture.window[0] if table == "waits" else since
        at, some = latest(tid, begin, rows["tid"].to_numpy().astype(np.int64), np.maximum(until, since))
        stacks += rows["stack"].to_numpy()[some & (end[at] >= since)].tolist()
    own: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for stack, seen in Counter(stacks).items():
        path = names.path(int(stack))
        if (method := user_method(path)) is not None:
            (own if any(is_user(one) for one in path) else other)[method] += seen
    method, found = own.most_common(1)[0] if own else (None, 0)
    return Seen(method, found, len(stacks), other.most_common(1)[0][0] if other and not own else None)
