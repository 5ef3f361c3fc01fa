"""Random captures of a plausible pool: items queue, run first come first served, lock, and wait for each other."""

import numpy as np
from poolscope.attribution.ladder import climb
from synthetic import MS, CaptureBuilder

OTHER_PROCESS, SOCKETS, FIRST_WORKER = 900, 199, 200


def scene(folder, seed, *, items=24, threads=3, launched=True):
    """Returns a builder of a pool of `threads` workers with a lower minimum: one worker comes later. With an odd seed
    the maximum allows no more. Times are whole us."""
    random = np.random.default_rng(seed)

    def us(low, high):
        return int(random.integers(low, high)) * 1000

    limits = (threads - 1, threads if seed % 2 else 32767)
    builder = CaptureBuilder(folder, length=3000 * MS, limits=limits, launched=launched)
    builder.thread(SOCKETS, 100, ".NET Sockets").thread(OTHER_PROCESS, OTHER_PROCESS, "other")
    for tid in range(OTHER_PROCESS, OTHER_PROCESS + 3):
        at = us(1, 50_000)
        for _ in range(6):
            for name in ("ready", "running"):
                length = us(100, 40_000)
                builder.state(tid, at, at + length, name)
                at += length
            at += us(1, 20_000)
    free = [0] * (threads - 1) + [400 * MS]
    builder.change(400 * MS, threads)
    running: dict[int, tuple[int, int, int]] = {}  # row of a worker's last item, its start and end
    enqueue = 0
    for row in range(items):
        enqueue += us(1, 30_000)
        worker = int(np.argmin(free))
        start = max(enqueue + us(20, 400), free[worker])
        tid = FIRST_WORKER + worker
        others = [(w, r) for w, r in running.items() if w != tid and r[1] < start]
        parent = next(((w, r) for w, r in others if r[1] <= enqueue <= r[2]), None)
        if start - free[worker] > 200_000:  # parked, woken, without a core for a while
            woken = start - us(20, 150)
            builder.state(tid, free[worker] + 1000, woken, "blocked").state(tid, woken, start, "ready")
        at, states = start, []
        for _ in range(int(random.integers(1, 5))):
            name = str(random.choice(["running", "ready", "blocked", "blocked"]))
            length = us(500, 90_000)
            states.append((name, length))
            if name == "blocked":
                end = at + length
                alive = [(w, r) for w, r in others if r[1] < end <= r[2]]
                by = alive[int(random.integers(len(alive)))] if alive else None
                builder.wakeup(end, by[0] if by else OTHER_PROCESS if random.random() < 0.5 else -1, tid)
                kind = int(random.integers(4))
                if kind == 0 and by:
                    builder.contention(tid, at, end, lock=70 + int(random.integers(2)), owner=by[0])
                elif kind == 1:
                    builder.wait(tid, at, end)
                    builder.rows["waits"][-1]["object"] = 90 + int(random.integers(2))
                elif kind == 2:
                    builder.task_wait(tid, at, task=row)
            at += length
        brought = parent[0] if parent else SOCKETS if random.random() < 0.2 else 100
        told = parent[1][0] if parent and random.random() < 0.6 else -1  # not every decoder shows it
        builder.item(enqueue, start, at, tid, states, enqueue_tid=brought, parent=told)
        free[worker] = at
        running[tid] = (row, start, at)
    for late in range(2):  # still queued at the end
        builder.item(2999 * MS + late * 1000)
    begin = us(50_000, 300_000)
    builder.suspension(begin, begin + us(1000, 20_000))
    for tid in (*range(FIRST_WORKER, FIRST_WORKER + threads),):
        builder.thread(tid, 100, ".NET TP Worker")
    return builder


def told(attribution):
    """Returns the attribution of every item as one array of whole ns: parts of wait and execution, and each world."""
    split, execution = attribution.split, attribution.execution
    parts = split.parts
    columns = [parts.wait, parts.injection, parts.holding, parts.dependency, parts.core, parts.runtime]
    columns += [execution.cpu, execution.blocked, execution.ready, execution.runtime, execution.unknown]
    columns.append(split.behind_blocked)
    ladder, rungs = climb(split.ladder.worlds, 0)
    for delay in (
        ladder.actual,
        rungs.enough_threads,
        rungs.no_holding,
        rungs.enough_cores,
        ladder.as_is,
        rungs.unsuspended,
    ):
        columns.append(np.rint(delay).astype(np.int64))
    return np.stack(columns)
