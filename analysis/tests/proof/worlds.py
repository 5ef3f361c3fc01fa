"""Random workloads of all operations, without deadlocks: waits are for marks of items that wait for nothing."""

import numpy as np
from poolscope.replay import Op, Program, Workload


def workload_of(seed, count=40):
    """Returns `count` items; every third only computes and fires its mark, and the others may wait for earlier ones of
    those."""
    random = np.random.default_rng(seed)
    arrival = np.sort(random.integers(0, 20_000_000, count)).astype(float)
    programs = []
    for item in range(count):
        program = [(Op.CPU, int(random.integers(1, 3_000_000)))]
        if item % 3:
            if random.random() < 0.5:
                program.append((Op.BLOCKED, int(random.integers(1, 9_000_000))))
            if random.random() < 0.4:
                lock = int(random.integers(2))
                program += [(Op.ACQUIRE, lock), (Op.CPU, int(random.integers(1, 900_000))), (Op.RELEASE, lock)]
            if random.random() < 0.4:
                program.append((int(random.choice([Op.WAIT, Op.TASK_WAIT])), 3 * int(random.integers(item // 3 + 1))))
        if item % 9 == 0 and item + 4 < count:
            program.insert(1, (Op.ENQUEUE, item + 4))
            arrival[item + 4] = np.inf
        programs.append([*program, (Op.MARK, item)])
    made = Program.of(programs)
    enqueues = np.flatnonzero(made.op == Op.ENQUEUE)
    made.value[enqueues[::2]] = random.integers(0, 30_000_000, len(enqueues[::2]))
    return Workload.in_turn(arrival, made, marks=count, locks=2)
