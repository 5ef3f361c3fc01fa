"""Executions of one work item in which many requests went on one after another.

Anyone who completes a task, cancels a token or raises an event runs what waits for it, unless that asked to be queued: one
continuation blocks, and all others behind it wait.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import EXECUTED

LEAST = 5
"""Requests that went on in one execution: two or three may have been answered together."""
MOSTLY = 0.5
"""Of the time of all requests that were tied and answered."""


@dataclass(frozen=True)
class Serial:
    """Index into Executions, the requests that went on in it, and for how long each was in it, ns; shape (requests,)."""

    execution: int
    request: IntArray
    duration: IntArray


def find_serial(requests: Requests) -> Serial | None:
    """Returns the execution that held most requests' time; None if that is less than half of the time of all requests."""
    ran = requests.tiles.where((requests.tiles.kind == EXECUTED) & (requests.tiles.item >= 0))
    if len(ran.item) == 0:
        return None
    pair, at = np.unique(np.stack((ran.item, ran.request)), axis=1, return_inverse=True)
    duration = np.bincount(np.ravel(at), ran.duration).astype(np.int64)
    items, code, count = np.unique(pair[0], return_inverse=True, return_counts=True)
    total = np.where(count >= LEAST, np.bincount(code, duration), 0)
    most = int(np.argmax(total))
    if total[most] < MOSTLY * requests.tiles.duration.sum() or total[most] == 0:
        return None
    own = pair[0] == items[most]
    return Serial(int(items[most]), pair[1][own], duration[own])
