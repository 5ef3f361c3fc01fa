"""Late requests that were late because of what they did themselves: their code computed or held its thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture
from poolscope.evidence.seen import Seen, seen_in
from poolscope.measures.late import Late
from poolscope.measures.requests.parts import RequestParts
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import EXECUTED


@dataclass(frozen=True)
class OwnWork:
    """Shape (late,), ns."""

    cpu: IntArray
    blocked: IntArray
    seen: Seen
    """Where the threads that ran the late requests were."""

    @property
    def cost(self) -> IntArray:
        return self.cpu + self.blocked


def find_own_work(
    capture: DecodedCapture, attribution: Attribution, requests: Requests, parts: RequestParts, late: Late
) -> OwnWork:
    """Measures the own work of late requests. It is 0 for requests that are not tied and answered."""
    cpu, blocked = (np.zeros(requests.count, dtype=np.int64) for _ in range(2))
    cpu[parts.row], blocked[parts.row] = parts.part["cpu"], parts.part["blocked"]
    tiles, executions = requests.tiles, attribution.executions
    ran = tiles.where((tiles.kind == EXECUTED) & (tiles.item >= 0) & np.isin(tiles.request, late.row))
    seen = seen_in(capture, attribution, executions.worker[ran.item], ran.start, ran.end)
    return OwnWork(cpu[late.row], blocked[late.row], seen)
