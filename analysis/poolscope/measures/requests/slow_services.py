"""Services that became slow for a while: the answers that requests waited for took a multiple of what they took before."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import SERVICE

USUAL = 0.25
"""Quantile of a service's latencies that is taken for usual at first: so three quarters of the calls may be slow."""
TIMES = 3.0
"""Times the usual latency from which a call is slow: what varies from call to call is less."""
BEYOND_NS = 50.0 * NS_PER_MS
"""And longer than usual by this much: as of items, less is not noticed behind a request (limits.py)."""
LEAST = 5
"""Calls, slow and usual ones, without which nothing can be compared."""
MOSTLY = 0.8
"""For the calls that began while it was slow: if fewer were slow, the service has slow and quick answers, and did not become
slow."""


@dataclass(frozen=True)
class SlowService:
    """One service that was slow for a while. Times are ns."""

    endpoint: str
    calls: int
    """Answers of it that requests waited for."""
    start: IntArray
    """Of its slow calls, from the start of the window; shape (slow,)."""
    end: IntArray
    usual: int
    """Median latency of the others."""
    slow: int
    """Median latency of the slow ones."""
    request: IntArray
    """Index into Requests of each slow call."""

    def where(self, chosen: BoolArray) -> SlowService:
        """Keeps only the chosen slow calls, shape (slow,)."""
        return replace(self, start=self.start[chosen], end=self.end[chosen], request=self.request[chosen])

    @property
    def cost(self) -> IntArray:
        """What each slow call took beyond the usual, ns."""
        return np.maximum(self.end - self.start - self.usual, 0)


def find_slow_services(requests: Requests) -> list[SlowService]:
    """Returns them, the costliest first."""
    calls = requests.tiles.where(requests.tiles.kind == SERVICE)
    remote = np.array([str(requests.remote[socket]) for socket in calls.socket], dtype=object)
    found = []
    for name in dict.fromkeys(remote):
        own = calls.where(np.asarray(remote == name))
        taken = own.duration
        if len(taken) < 2 * LEAST:
            continue
        usual = float(np.quantile(taken, USUAL))
        slow = np.asarray(taken > max(TIMES * usual, usual + BEYOND_NS))
        if slow.sum() < LEAST or (~slow).sum() < LEAST:
            continue
        during = (own.start >= own.start[slow].min()) & (own.start <= own.start[slow].max())
        if slow[during].mean() < MOSTLY:
            continue
        found.append(
            SlowService(
                endpoint=str(name),
                calls=len(taken),
                start=own.start[slow],
                end=own.end[slow],
                usual=int(np.median(taken[~slow])),
                slow=int(np.median(taken[slow])),
                request=own.request[slow],
            )
        )
    return sorted(found, key=lambda service: -int(service.cost.sum()))
