"""Items that were already running when a late capture began: no event names them, but they held threads.

Only the end is seen, when their worker takes the next item or parks. Without them a pool that was full at attach would
look idle, and the wait behind them like slow dispatch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.standing import first_event, idle_workers, standing_workers


PARKED_WAKE_NS = int(5 * NS_PER_MS)
"""A parked worker takes a fresh item within a few hundred us, 2.4 ms at worst when idle (facts of .NET 10 on Linux).
An item that had waited longer had no parked worker to take it, so the worker that took it came from another item."""


@dataclass(frozen=True)
class Carried:
    """Workers that were busy from the start of the window up to `end` (ns from there), by thread."""

    worker: IntArray
    end: IntArray

    @property
    def start(self) -> IntArray:
        return np.zeros(len(self.end), dtype=np.int64)


def find_carried(capture: DecodedCapture, items: Items) -> Carried:
    """Finds the workers older than the capture that were inside an item when it began: a snapshot shows it, or their
    first item had waited. For a part of a recording, they are known. Launched processes have none."""
    start, stop = capture.window
    told = capture.running_before
    known = Carried(told.worker, told.end - start)
    if capture.manifest["target"]["launched"]:
        return known
    worker = np.union1d(standing_workers(capture), _by_their_first_item(capture, items)).astype(np.int64)
    # The runtime's stream may begin before the window: what it tells of the window's first moment needs no inference.
    named = items.worker[items.started & (items.dequeue == 0) & (items.end > 0)]
    worker = worker[~np.isin(worker, np.append(known.worker, named))]
    end = np.minimum(first_event(capture, worker), stop) - start
    return Carried(np.append(known.worker, worker[end > 0]), np.append(known.end, end[end > 0]))


def _by_their_first_item(capture: DecodedCapture, items: Items) -> IntArray:
    """Returns workers whose first item had already waited when they took it, and who had not been parked. A parked
    worker may take an item late, too: woken for a burst, it waits for a core."""
    started = np.flatnonzero(items.started)
    order = started[np.argsort(items.dequeue[started], kind="stable")]
    workers, first = np.unique(items.worker[order], return_index=True)
    taken = order[first]
    table = capture.table("workers").set_index("tid")["start"]
    old = table.reindex(workers).fillna(-1).to_numpy() < 0
    parked = capture.table("parked")
    parks = parked.groupby("tid")["start"].min().reindex(workers).to_numpy() - capture.window[0]
    came_from_park = parks < items.dequeue[taken]  # NaN: never parked
    waited = items.censored_start[taken] | (items.wait[taken] > PARKED_WAKE_NS)
    idle = np.isin(workers, idle_workers(capture))
    return np.asarray(workers[old & ~came_from_park & ~idle & waited], dtype=np.int64)
