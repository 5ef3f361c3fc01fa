"""Other services that answer sooner or later than they did.

An answer moves what waited for it where it is known who asked: the item that it brings, the wait that it ends, or the thread
that blocks in the call.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.attribution.causes.answers import Answers
from poolscope.attribution.causes.socket_io import SocketIo
from poolscope.attribution.causes.wakers import GRACE_NS
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.errors import InsufficientEvidence, InvalidArgument
from poolscope.base.lookup import latest
from poolscope.base.words import percent
from poolscope.executions.segments import BLOCKED, Segments
from poolscope.measures.services import ServiceCalls, find_service_calls
from poolscope.replay.workload import Workload
from poolscope.whatif.setting import Faster

LEAST_MOVED = 0.9
"""Of the time up to a service's answers so much must move with it; else what it would change is not known."""
SHOWN = 5
"""Endpoints that a message names."""


def with_faster(attribution: Attribution, io: SocketIo | None, faster: Faster) -> Workload:
    """The captured work if the services of these endpoints answered so many times as fast.

    Raises InvalidArgument for an endpoint that gave no answer, InsufficientEvidence where less than LEAST_MOVED of the time up
    to its answers is tied to who asked.
    """
    calls = find_service_calls(io)
    known = calls.services()
    for endpoint, _ in faster:
        if endpoint not in known:
            some = ", ".join(list(known)[:SHOWN]) or "none"
            raise InvalidArgument(f"{endpoint} gave no answer in this capture; who did: {some}")
    assert attribution.split is not None and io is not None
    causes = attribution.split.causes
    for endpoint, _ in faster:
        moved = _moved(calls.where(calls.endpoint == endpoint), causes.answers, causes.ended_by_answer)
        if moved < LEAST_MOVED:
            raise InsufficientEvidence(
                f"for {percent(1 - moved)} of the time up to the answers of {endpoint} it is not known what waited for them: what "
                "another speed would change is not known"
            )
    speed = dict(faster)
    times = np.array([speed.get(str(remote), 1.0) for remote in io.remote])
    blocking = calls.where(calls.blocks & (times[calls.socket] != 1.0))
    less = _less(attribution.segments, blocking, 1.0 - 1.0 / times[blocking.socket])
    sooner = replace(
        causes, answers=_sooner(causes.answers, times), ended_by_answer=_sooner(causes.ended_by_answer, times)
    )
    return attribution.split.rebuilt(sooner, less)


def _less(segments: Segments, calls: ServiceCalls, share: FloatArray) -> FloatArray:
    """By how much less each segment blocks, ns, shape (segments,): that share of what lies in a call of its execution."""
    less = np.zeros(len(segments.item))
    blocked = np.flatnonzero(segments.state == BLOCKED)
    item, asked, came = calls.item, calls.asked, calls.came
    if len(item) == 0 or len(blocked) == 0:
        return less
    before = np.where(np.append(False, item[1:] == item[:-1]), np.append(0, came[:-1]), 0)
    begin = np.maximum(asked, before)
    end = np.maximum(came, begin)
    span = int(max(end.max(), segments.end.max())) + 1
    key = item * span + begin
    until_now = np.concatenate(([0.0], np.cumsum((end - begin) * share)))

    def up_to(time: IntArray) -> FloatArray:
        at = np.searchsorted(key, segments.item[blocked] * span + time, side="right") - 1
        call = np.maximum(at, 0)
        inside = (at >= 0) & (item[call] == segments.item[blocked])
        part = np.where(inside, np.minimum(time, end[call]) - begin[call], end[call] - begin[call])
        return np.asarray(until_now[call] + np.where(at >= 0, part * share[call], 0.0))

    less[blocked] = up_to(segments.end[blocked]) - up_to(segments.start[blocked])
    return less


def _sooner(answers: Answers, times: FloatArray) -> Answers:
    own = answers.socket >= 0
    speed = np.where(own, times[np.maximum(answers.socket, 0)], 1.0) if len(times) else np.ones(len(answers.took))
    return replace(answers, took=np.rint(answers.took / speed).astype(np.int64))


def _moved(calls: ServiceCalls, *answers: Answers) -> float:
    """The share of the calls' time up to their answers that moves in a replay: the thread that asked blocks, or it is known what
    the answer brings or ends."""
    socket = np.concatenate([a.socket for a in answers])
    asked = np.concatenate([a.asked for a in answers])
    order = np.lexsort((asked, socket))
    at, some = latest(socket[order], asked[order], calls.socket, calls.asked + GRACE_NS)
    known = calls.blocks.copy()
    if len(order):
        known |= some & (asked[order][at] >= calls.asked - GRACE_NS)
    return float(calls.duration[known].sum()) / max(float(calls.duration.sum()), 1.0)
