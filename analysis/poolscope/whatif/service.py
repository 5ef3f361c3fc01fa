"""The captured work of a web service as worlds with other settings see it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.executions.items import Items
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.missing import with_missing
from poolscope.whatif.requests import FollowedRequests

MOST_OVERTOOK = 0.1
"""Share of the items that waited that may have been picked before one that had been queued earlier. Measured: 0 to 4 % in
services whose requests go through the pool's global queue, 8 % where timers went before them."""
OVERTOOK_NS = NS_PER_MS
"""Queued later by more than this. A wait is longer than this."""


@dataclass(frozen=True)
class Service:
    """Items of the captured workload come first, at their places."""

    workload: Workload
    requests: FollowedRequests


def serve(workload: Workload, requests: FollowedRequests, items: Items, seed: int) -> Service:
    """With the requests that nobody had read, and a sender for each answer that went out with another one's: where a thread
    is free, each has its own. Picked in order of arrival, if the capture's items were: who would come when no longer is what
    it was. `seed`: of the choice of whom the missing ones are like."""
    service = _with_senders(*with_missing(workload, requests, seed))
    return replace(service, workload=replace(service.workload, stand_ins=True, first_come=_in_turn(items)))


def _with_senders(workload: Workload, requests: FollowedRequests) -> Service:
    last = np.unique(requests.last[requests.joined])
    if len(requests.senders) == 0 or len(last) == 0:
        return Service(workload, requests)
    program, count = workload.program, workload.count
    sender = count + np.arange(len(last))
    takes = float(np.median(requests.sending[requests.joined]))
    parts = (
        (np.repeat(np.arange(count), np.diff(program.first)), program.op, program.value, program.target),
        (last, np.full(len(last), Op.ENQUEUE, dtype=np.int8), np.zeros(len(last)), sender),
        (sender, np.full(len(last), Op.CPU, dtype=np.int8), np.full(len(last), takes), np.full(len(last), -1)),
    )
    item, op, value, target = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], np.arange(count + len(last) + 1)).astype(np.int64)
    more = np.zeros(len(last), dtype=bool)
    made = replace(
        workload,
        arrival=np.append(workload.arrival, np.full(len(last), np.inf)),
        rank=np.append(workload.rank, workload.rank[last]),
        program=Program(first, op[order], value[order], target[order]),
        shared=None if workload.shared is None else np.append(workload.shared, more),
        queue=np.append(np.full(count, -1), 1 + np.arange(len(last)) % requests.queues),
    )
    return Service(made, replace(requests, senders=np.append(requests.senders, sender)))


def _in_turn(items: Items) -> bool:
    """Whether items were picked in the order in which they were queued."""
    order = np.argsort(items.rank, kind="stable")
    enqueue = items.enqueue[order]
    waited = (items.started & (items.wait > OVERTOOK_NS))[order]
    later = np.append(np.minimum.accumulate(enqueue[::-1])[::-1][1:], np.iinfo(np.int64).max)
    overtook = enqueue - OVERTOOK_NS > later
    return not waited.any() or bool(overtook[waited].mean() <= MOST_OVERTOOK)
