"""Where a wait goes that more threads only move: it is sought by taking away one thing at a time and replaying."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.series import Steps
from poolscope.replay.simulate import simulate
from poolscope.replay.workload import Op, Workload
from poolscope.whatif.figures import statistics
from poolscope.whatif.predict import Predictor
from poolscope.whatif.setting import Setting

LOCK, CORES, ITEM = "lock", "cores", "item"
PLACES = {
    LOCK: "for a lock that one item at a time can hold",
    CORES: "for a core",
    ITEM: "for another item",
}
"""What items would wait for instead, after they have started."""
MOST = 0.5
"""For what an item loses after its start: what takes away less is not where it goes."""


def where_it_goes(predictor: Predictor, setting: Setting) -> str | None:
    """Returns LOCK, CORES or ITEM; None if nothing notable is lost after the start. It runs one replication of each
    world, because it looks for the larger part and not its size."""
    seed = predictor.seed
    workload = predictor.workload
    lost = _lost(predictor, setting, workload, seed)
    if lost <= 0:
        return None
    spared = {CORES: lost - _lost(predictor, setting, workload, seed, free_cores=True)}
    if workload.locks:
        spared[LOCK] = lost - _lost(predictor, setting, without_locks(workload), seed)
    place = max(spared, key=lambda name: spared[name])
    if spared[place] >= MOST * lost:
        return place
    waits = np.isin(workload.program.op, (Op.WAIT, Op.TASK_WAIT)).any()
    return ITEM if waits else None


def without_locks(workload: Workload) -> Workload:
    """Returns the same workload without its locks."""
    program = workload.program
    locked = np.isin(program.op, (Op.ACQUIRE, Op.RELEASE))
    # Taken out of the arrays as computing for no time: no index changes.
    op = np.where(locked, Op.CPU, program.op).astype(program.op.dtype)
    value = np.where(locked, 0.0, program.value)
    target = np.where(locked, -1, program.target)
    return replace(workload, program=replace(program, op=op, value=value, target=target), locks=0)


def _lost(predictor: Predictor, setting: Setting, workload: Workload, seed: int, free_cores: bool = False) -> float:
    """Returns the mean time from start to end beyond the items' own demand, ms."""
    world = predictor.world(setting, seed)
    if free_cores:
        world = replace(world, cores=Steps.constant(np.inf), competitors=Steps.constant(0.0))
    outcome = simulate(workload, world)
    own = predictor.own & np.isfinite(outcome.end)
    took = outcome.end[own] - outcome.start[own] - predictor.workload.demand[own]
    return statistics(took)["mean"] if len(took) else 0.0
