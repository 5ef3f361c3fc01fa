"""A workload and a world as the loop is given them, and the outcome of what it returns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import AnyArray
from poolscope.base.series import Steps
from poolscope.replay.loop.given import Given, Happened
from poolscope.replay.policies.net import climbing_knobs
from poolscope.replay.policies.policy import ALLOWED, NET
from poolscope.replay.simulated import GoalChanges, Simulated
from poolscope.replay.workload import Workload
from poolscope.replay.world import World

UNIFORMS = 8192
"""Random numbers drawn beforehand, so that native and plain loop have the same."""
MOST_LOGGED = 65_536
"""Changes of the goal that are noted before the log becomes coarser; of threads this many beyond two for each item."""


def lay_out(workload: Workload, world: World) -> Given:
    """Returns what the loop reads of both."""
    policy, program, items = world.policy, workload.program, workload.count
    limit_time, least, most = policy.limits()
    time = np.unique(np.concatenate((world.cores.time, world.competitors.time, limit_time)))
    arrival = np.asarray(workload.arrival, dtype=np.float64)
    order = np.argsort(arrival, kind="stable")
    order = order[np.isfinite(arrival[order])]
    rank = np.concatenate((workload.rank, workload.mark_rank))
    return Given(
        kind=policy.kind,
        holding=policy.holding,
        rules=policy.rules(),
        climbing=climbing_knobs(policy),
        seed=world.seed,
        uniforms=np.random.Generator(np.random.PCG64(world.seed)).random(UNIFORMS),
        thread_room=items + 2 if policy.kind == ALLOWED else 2 * items + 1024,
        goal_room=min(MOST_LOGGED, 1024 + 2 * items) if policy.kind == NET else 1,
        time=_plain(time, np.float64),
        cores=_plain(world.cores.at(time), np.float64),
        competitors=_plain(world.competitors.at(time), np.float64),
        least=_plain(Steps(limit_time, least).at(time), np.float64),
        most=_plain(Steps(limit_time, most).at(time), np.float64),
        arrival_time=arrival[order],
        arrival_item=_plain(order, np.int64),
        rank=_plain(rank / (8 * items) if workload.first_come else rank, np.float64),
        queue=np.full(items, -1, dtype=np.int64) if workload.queue is None else _plain(workload.queue, np.int64),
        awaits_answer=workload.awaits_answer,
        mark_awaits_answer=workload.mark_awaits_answer,
        locks=workload.locks,
        first_come=workload.first_come,
        stand_ins=workload.stand_ins,
        first=_plain(program.first, np.int64),
        op=_plain(program.op, np.int8),
        value=_plain(program.value, np.float64),
        target=_plain(program.target, np.int64),
    )


def outcome_of(happened: Happened) -> Simulated:
    """Returns the result of a finished simulation."""
    count = happened.thread_count.astype(np.float64)
    count[np.argmax(count)] = happened.peak  # the peak survives where the log became coarser
    return Simulated(
        arrival=happened.arrived,
        start=happened.start,
        end=happened.end,
        threads=Steps(happened.thread_time, count),
        goal_changes=GoalChanges(happened.goal_time, happened.goal, happened.goal_reason),
        context_switches=happened.context_switches,
    )


def _plain(array: npt.ArrayLike, kind: npt.DTypeLike) -> AnyArray:
    return np.ascontiguousarray(array, dtype=kind)
