"""The delay of every capture as arrays: of its work items by cause, of its requests by part, and of its routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.fleets.row import Row
from poolscope.measures.requests.parts import PARTS
from poolscope.product.causes import CAUSES

ITEMS, REQUESTS = "items", "requests"
OF = {ITEMS: CAUSES, REQUESTS: PARTS}
"""What each delay consists of."""


@dataclass(frozen=True)
class Delays:
    """Shape (captures,) and (captures, causes): how many there were, and their delay in s, summed."""

    count: FloatArray
    seconds: FloatArray


@dataclass(frozen=True)
class Figures:
    """All captures of a fleet."""

    service: IntArray
    """Which service each capture is of: captures are held against those of the same one. Shape (captures,)."""
    whole: dict[str, Delays]
    """By ITEMS and REQUESTS. Captures without a kernel stream have none: their waits are not split."""
    routes: dict[tuple[int, str], Delays]
    """Figures of requests, by service and route."""

    @property
    def captures(self) -> int:
        return len(self.service)

    def without(self, state: State, of: str) -> Delays:
        """Returns the delays of the state: requests of the routes that it leaves out are taken from their captures."""
        own = self.whole[of]
        if of != REQUESTS or not state.without:
            return own
        left = [self.routes[route] for route in state.without]
        count = own.count - sum(one.count for one in left)
        return Delays(np.maximum(count, 0), np.maximum(own.seconds - sum(one.seconds for one in left), 0))


@dataclass(frozen=True)
class State:
    """What is examined: some captures, without the requests of some routes."""

    mask: BoolArray
    without: frozenset[tuple[int, str]] = frozenset()


def figures_of(rows: Sequence[Row], services: Sequence[str]) -> Figures:
    """Collects the figures of all captures. `services` has that of each row."""
    names, code = np.unique(np.array(services, dtype=object).astype(str), return_inverse=True)
    del names
    items = _empty(len(rows), CAUSES)
    requests = _empty(len(rows), PARTS)
    routes: dict[tuple[int, str], Delays] = {}
    for at, row in enumerate(rows):
        if "unknown" not in row.parts:
            items.count[at] = row.wait.count
            items.seconds[at] = [row.parts[c].total / NS_PER_S if c in row.parts else 0.0 for c in CAUSES]
        _add(requests, at, row.whole, row.parts_ns)
        for route in row.routes:
            own = routes.setdefault((int(code[at]), route.name), _empty(len(rows), PARTS))
            _add(own, at, route.whole, route.parts_ns)
    return Figures(np.asarray(code, dtype=np.int64), {ITEMS: items, REQUESTS: requests}, routes)


def _empty(rows: int, parts: Sequence[str]) -> Delays:
    return Delays(np.zeros(rows), np.zeros((rows, len(parts))))


def _add(delays: Delays, at: int, count: int, parts_ns: object) -> None:
    assert hasattr(parts_ns, "get")
    delays.count[at] += count
    delays.seconds[at] += [parts_ns.get(part, 0) / NS_PER_S for part in PARTS]
