"""The captured work of a web service as worlds with other settings see it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.executions.items import Items
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.missing import with_missing
from poolscope.whatif.requests import FollowedRequests

MOST_OUT_OF_TURN = 0.2
"""Share of the items that waited that may have waited for another time than first come, first served would have given them.
Measured in 18 recordings of services under eight settings: 0 to 9 %."""
OTHER_WAIT = 0.2
"""Another time differs by more than this part of the wait, and by more than OTHER_WAIT_NS. By how many an item was overtaken
says less: one that lies in a worker's own queue while that worker is blocked is overtaken by all."""
OTHER_WAIT_NS = NS_PER_MS


@dataclass(frozen=True)
class Service:
    """Items of the captured workload come first, at their places."""

    workload: Workload
    requests: FollowedRequests


def serve(workload: Workload, requests: FollowedRequests, items: Items, seed: int) -> Service:
    """Adds the unread requests, and a sender for each answer that went out with another one's: if a thread is free,
    each has its own. Items are picked in order of arrival if the captured ones were, because the measured order would
    not hold for those who come at other times. `seed` decides whom the missing requests are like."""
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
    """Returns whether items waited for as long as they would have, had those threads taken them in the order in which they were queued."""
    began = items.started
    enqueue, wait = items.enqueue[began], items.wait[began]
    start = enqueue + wait
    in_turn = np.empty_like(start)
    in_turn[np.argsort(enqueue, kind="stable")] = np.sort(start)
    other = np.abs(in_turn - start) > np.maximum(OTHER_WAIT * wait, OTHER_WAIT_NS)
    waited = wait > OTHER_WAIT_NS
    return not waited.any() or bool(other[waited].mean() <= MOST_OUT_OF_TURN)
