"""Other services that answer sooner or later than they did.

An answer moves the work that waited for it if the asker is known: the item that it brings, the wait that it ends, or
the thread that blocks in the call.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.attribution.causes.answers import Answers
from poolscope.attribution.causes.origins import GRACE_NS, OUTSIDE
from poolscope.attribution.causes.socket_io import SocketIo
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.errors import InsufficientEvidence, InvalidArgument
from poolscope.base.lookup import latest, ordered
from poolscope.base.words import percent
from poolscope.executions.segments import BLOCKED, Segments
from poolscope.measures.requests import Requests
from poolscope.measures.requests.tiles import EXECUTED, SERVICE, Tiles
from poolscope.measures.services import ServiceCalls, find_service_calls
from poolscope.replay.workload import Workload
from poolscope.whatif.requests import queued_by
from poolscope.whatif.setting import Faster

LEAST_MOVED = 0.9
"""The share of the time up to a service's answers that must move with them. With less, the effect is unknown."""
ASKERS = 3
"""How far up to search for threads that may block for a call: the caller, the item that queued it, and so on."""
SHOWN = 5
"""The number of endpoints that a message names."""


def with_faster(attribution: Attribution, io: SocketIo | None, faster: Faster) -> Workload:
    """Returns the captured work if the services of these endpoints answered this many times as fast.

    Raises InvalidArgument for an endpoint that gave no answer, InsufficientEvidence if less than LEAST_MOVED of the
    time up to its answers is tied to an asker.
    """
    calls = find_service_calls(io)
    known = calls.services()
    for endpoint, _ in faster:
        if endpoint not in known:
            some = ", ".join(list(known)[:SHOWN]) or "none"
            raise InvalidArgument(f"{endpoint} gave no answer in this capture; these did: {some}")
    assert attribution.split is not None and io is not None
    causes = attribution.split.causes
    moves = _moves(calls, attribution)
    for endpoint, _ in faster:
        of = calls.endpoint == endpoint
        moved = float(calls.duration[of & moves].sum()) / max(float(calls.duration[of].sum()), 1.0)
        if moved < LEAST_MOVED:
            raise InsufficientEvidence(
                f"for {percent(1 - moved)} of the time up to the answers of {endpoint}, the capture does not show "
                "what waited for them, so Poolscope cannot predict another speed"
            )
    times = _times(io, faster)
    blocking = calls.where(calls.blocks & (times[calls.socket] != 1.0))
    less = _less(attribution.segments, blocking, 1.0 - 1.0 / times[blocking.socket])
    sooner = replace(
        causes, answers=_sooner(causes.answers, times), ended_by_answer=_sooner(causes.ended_by_answer, times)
    )
    return attribution.workload(sooner, less)


def _times(io: SocketIo, faster: Faster) -> FloatArray:
    """Returns how many times as fast the remote end of each connection is; shape (sockets,)."""
    speed = dict(faster)
    return np.array([speed.get(str(remote), 1.0) for remote in io.remote])


def expected_fall(requests: Requests, attribution: Attribution, io: SocketIo, faster: Faster) -> FloatArray:
    """Returns how much sooner each request would be answered if nothing else held it up, ns; shape (requests,). It is 0
    without an answer, and negative if a service is slower."""
    less = 1.0 - 1.0 / _times(io, faster)
    tiles = requests.tiles
    awaited = tiles.kind == SERVICE
    fall = np.bincount(
        tiles.request[awaited], tiles.duration[awaited] * less[tiles.socket[awaited]], minlength=requests.count
    )
    calls = _with_askers(find_service_calls(io), queued_by(attribution))
    ran = tiles.where(tiles.kind == EXECUTED)
    request, item, start, end = _blocked_in(ran, attribution.segments)
    blocked = within(item, start, end, calls, less[calls.socket])
    # It is unknown which threads block for the other calls: perhaps any thread that blocks at that time.
    others = find_service_calls(io)
    others = others.where(~_moves(others, attribution) & (less[others.socket] != 0.0))
    others = replace(others, item=np.zeros_like(others.item)).where(np.argsort(others.asked, kind="stable"))
    perhaps = within(np.zeros_like(item), start, end, others, less[others.socket])
    of_items = np.where(np.abs(perhaps) > np.abs(blocked), perhaps, blocked)
    return np.asarray(fall + np.bincount(request, of_items, minlength=requests.count))


def _with_askers(calls: ServiceCalls, queued_by: IntArray) -> ServiceCalls:
    """Returns each call as one of its asker, and of the items that had queued the asker: these may block until the call
    is done."""
    of = [calls.item]
    for _ in range(ASKERS):
        of.append(np.where(of[-1] >= 0, queued_by[np.maximum(of[-1], 0)], OUTSIDE))
    count = len(calls.item)
    every = calls.where(np.tile(np.arange(count), len(of)))
    every = replace(every, item=np.concatenate(of))
    order = ordered(every.item, every.asked)
    return every.where(order[every.item[order] >= 0])


def _blocked_in(ran: Tiles, segments: Segments) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Returns request, execution, start and end of the blocked parts of the tiles."""
    blocked = np.flatnonzero(segments.state == BLOCKED)
    order = ordered(ran.item, ran.start)
    at, some = latest(ran.item[order], ran.start[order], segments.item[blocked], segments.start[blocked])
    blocked, tile = blocked[some], order[at[some]]
    end = np.minimum(segments.end[blocked], ran.end[tile])
    inside = end > segments.start[blocked]
    blocked, tile = blocked[inside], tile[inside]
    return ran.request[tile], segments.item[blocked], segments.start[blocked], end[inside]


def _less(segments: Segments, calls: ServiceCalls, share: FloatArray) -> FloatArray:
    """Returns how much less each segment blocks, ns, shape (segments,): that share of its time within a call of its
    execution."""
    less = np.zeros(len(segments.item))
    blocked = np.flatnonzero(segments.state == BLOCKED)
    less[blocked] = within(segments.item[blocked], segments.start[blocked], segments.end[blocked], calls, share)
    return less


def within(item: IntArray, start: IntArray, end: IntArray, calls: ServiceCalls, share: FloatArray) -> FloatArray:
    """Returns how much of each stretch of an execution lies in its calls, ns, shape (stretches,).

    `share`, shape (calls,), is the weight of a call. If calls overlap, the first one counts, and the next one counts
    only for the time by which it is longer.
    """
    if len(calls.item) == 0 or len(item) == 0:
        return np.zeros(len(item))
    asker, asked, came = calls.item, calls.asked, calls.came
    before = np.where(np.append(False, asker[1:] == asker[:-1]), np.append(0, came[:-1]), 0)
    begins = np.maximum(asked, before)
    ends = np.maximum(came, begins)
    span = int(max(ends.max(), end.max())) + 1
    key = asker * span + begins
    until_now = np.concatenate(([0.0], np.cumsum((ends - begins) * share)))

    def up_to(time: IntArray) -> FloatArray:
        at = np.searchsorted(key, item * span + time, side="right") - 1
        call = np.maximum(at, 0)
        inside = (at >= 0) & (asker[call] == item)
        part = np.where(inside, np.minimum(time, ends[call]) - begins[call], ends[call] - begins[call])
        return np.asarray(until_now[call] + np.where(at >= 0, part * share[call], 0.0))

    return np.asarray(up_to(end) - up_to(start))


def _sooner(answers: Answers, times: FloatArray) -> Answers:
    own = answers.socket >= 0
    speed = np.where(own, times[np.maximum(answers.socket, 0)], 1.0) if len(times) else np.ones(len(answers.took))
    return replace(answers, took=np.rint(answers.took / speed).astype(np.int64))


def _moves(calls: ServiceCalls, attribution: Attribution) -> BoolArray:
    """Returns the calls whose answers bring or end something known, or whose asker blocks; shape (calls,). An item of
    the socket engine that many share is not enough: no event shows what it hands on."""
    assert attribution.split is not None
    causes, shared = attribution.split.causes, attribution.split.workload.shared
    brings = causes.answers
    if shared is not None:
        brings = brings.where(~shared[brings.to])
    socket, asked = (
        np.concatenate((getattr(brings, name), getattr(causes.ended_by_answer, name))) for name in ("socket", "asked")
    )
    order = ordered(socket, asked)
    at, some = latest(socket[order], asked[order], calls.socket, calls.asked + GRACE_NS)
    known = calls.blocks.copy()
    if len(order):
        known |= some & (asked[order][at] >= calls.asked - GRACE_NS)
    return known
