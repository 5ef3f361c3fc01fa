"""Requests still unread when the capture ended: the load of a service that answers nothing.

Their needs are unknown. Each is assumed to resemble an earlier one: the work of that one is repeated, from the arrival
of this one on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.load import copied, groups, not_before_later, repeat, without_exclusive
from poolscope.whatif.requests import FollowedRequests


def with_missing(workload: Workload, requests: FollowedRequests, seed: int) -> tuple[Workload, FollowedRequests]:
    """Returns the captured work followed by the work of the missing requests, and the followed requests followed by the
    missing ones as if they had left the application. `seed` determines which requests they resemble."""
    missing = requests.missing
    if len(missing) == 0:
        return workload, requests
    candidates = may_be_like(workload, requests)
    if len(candidates) == 0:
        return workload, requests
    like = _like(requests, candidates, seed)
    workload = without_exclusive(workload)
    group, mark_group = groups(workload)
    of = group[requests.last[like]]
    copies_of_group = 1 + np.bincount(of, minlength=int(max(group.max(), mark_group.max(initial=0))) + 1)
    copies = copies_of_group[group]
    origin, number = copied(copies)
    made = repeat(workload, origin, number, copies, copies_of_group[mark_group])

    # The copies of a group are those of its missing requests, in order.
    order = np.argsort(of, kind="stable")
    nth = np.empty(len(of), dtype=np.int64)
    nth[order] = np.arange(len(of)) - np.searchsorted(of[order], of[order])
    moved = missing - requests.arrived[like]
    first = np.cumsum(copies_of_group) - copies_of_group
    came = np.zeros(int(copies_of_group.sum()), dtype=np.int64)
    shift = np.zeros(len(came))
    came[first[of] + 1 + nth], shift[first[of] + 1 + nth] = missing, moved
    copy = first[group[origin]] + number
    later = shift[copy]
    made = replace(
        made,
        arrival=np.maximum(made.arrival + later, 0.0),
        rank=_rank(workload, requests, origin, number, came[copy]),
        program=not_before_later(made.program, later),
    )
    last = (np.cumsum(copies) - copies)[requests.last[like]] + 1 + nth
    behind = np.lexsort((np.arange(len(origin)), number > 0))
    place = np.empty(len(origin), dtype=np.int64)
    place[behind] = np.arange(len(origin))
    return _in_order(made, behind, place), _with(requests, like, moved, place[last])


def may_be_like(workload: Workload, requests: FollowedRequests) -> IntArray:
    """Returns the followed requests, in order of arrival, that share their work with no other request."""
    workload = without_exclusive(workload)
    group, _ = groups(workload)
    _, of, times = np.unique(group[requests.last], return_inverse=True, return_counts=True)
    own = times[of] == 1
    if workload.shared is not None:
        own &= ~workload.shared[requests.last]
    candidates = np.flatnonzero(own)
    return np.asarray(candidates[np.argsort(requests.arrived[candidates], kind="stable")])


def _like(requests: FollowedRequests, candidates: IntArray, seed: int) -> IntArray:
    """Draws, for each missing request, a request to resemble: from the earlier ones, or from all if there are none."""
    before = np.searchsorted(requests.arrived[candidates], requests.missing)
    among = np.where(before > 0, before, len(candidates))
    drawn = np.random.default_rng(seed).random(len(before))
    return np.asarray(candidates[(drawn * among).astype(np.int64)])


def _rank(workload: Workload, requests: FollowedRequests, origin: IntArray, number: IntArray, of: IntArray) -> IntArray:
    """Returns the order in which items are picked. A copy is picked after the last request that arrived before its own.
    `of` is the arrival of the request of each copy, shape (items,), and ignored for others."""
    order = np.argsort(requests.arrived, kind="stable")
    picked = np.maximum.accumulate(workload.rank[requests.last[order]])
    after = workload.rank[origin].astype(np.float64)
    copies = np.flatnonzero(number > 0)
    at = np.searchsorted(requests.arrived[order], of[copies], side="right") - 1
    after[copies] = np.where(at >= 0, picked[np.maximum(at, 0)], workload.rank.min()) + 0.5
    rank = np.empty(len(origin), dtype=np.int64)
    rank[np.lexsort((np.where(number > 0, of, 0), after))] = np.arange(len(origin))
    return np.asarray(rank + int(min(workload.rank.min(), 0)))


def _in_order(workload: Workload, order: IntArray, place: IntArray) -> Workload:
    """Returns the same items in another order. `place` is the new place of each."""
    program = workload.program
    length = np.diff(program.first)[order]
    first = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
    row = np.arange(first[-1]) - np.repeat(first[:-1], length) + np.repeat(program.first[order], length)
    target = program.target[row].copy()
    to_item = program.does(Op.TO_ITEM)[row]
    target[to_item] = place[target[to_item]]
    return replace(
        workload,
        arrival=workload.arrival[order],
        rank=workload.rank[order],
        program=Program(first, program.op[row], program.value[row], target),
        shared=None if workload.shared is None else workload.shared[order],
    )


def _with(requests: FollowedRequests, like: IntArray, moved: IntArray, last: IntArray) -> FollowedRequests:
    count = len(like)
    return replace(
        requests,
        row=np.concatenate((requests.row, requests.row[like])),
        arrived=np.concatenate((requests.arrived, requests.missing)),
        answered=np.concatenate((requests.answered, np.full(count, -1))),
        left=np.concatenate((requests.left, requests.left[like] + moved)),
        sender=np.concatenate((requests.sender, last)),
        last=np.concatenate((requests.last, last)),
        apart=np.concatenate((requests.apart, np.zeros(count, dtype=bool))),
        joined=np.concatenate((requests.joined, np.ones(count, dtype=bool))),
        sending=np.concatenate((requests.sending, requests.sending[like])),
        sender_end=np.concatenate((requests.sender_end, requests.last_end[like] + moved)),
        last_end=np.concatenate((requests.last_end, requests.last_end[like] + moved)),
        missing=requests.missing[:0],
    )
