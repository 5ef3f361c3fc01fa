"""Random workloads of all operations, and a world for each policy."""

import numpy as np
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World
from poolscope.replay.policies import (
    Allowed,
    Dedicated,
    Fixed,
    Instant,
    Net,
    Net4x,
    Net11,
    Net35,
    NetKnobs,
    Rotor,
)

POLICIES = {
    "allowed": Allowed(Steps.constant(3.0)),
    "allowed-async": Allowed(Steps(np.array([0.0, 3e8]), np.array([3.0, 5.0])), holding=False),
    "dedicated": Dedicated(),
    "fixed": Fixed(5),
    "instant": Instant(1000),
    "net": Net(2, 64, 2),
    "net-async": Net(2, 64, 2, holding=False),
    "net-changing-limits": Net(
        Steps(np.array([0.0, 2e8]), np.array([1.0, 8.0])), Steps(np.array([0.0, 4e8]), np.array([30.0, 20.0])), 2
    ),
    "net-quick-idle": Net(2, 64, 2, knobs=NetKnobs(thread_timeout_ms=20.0)),
    "net4x": Net4x(2, 64, 2),
    "net11": Net11.on(2),
    "net35": Net35.on(2),
    "rotor": Rotor.on(2),
}


def random_workload(seed, count, waits=True, answers=False):
    """Returns items that compute, sleep, lock and queue later items. With `answers` they also ask for answers that
    these read or that other items wait for. With `waits` they also wait for earlier items, which may deadlock if
    threads are few."""
    random = np.random.default_rng(seed)
    arrival = np.sort(random.integers(0, count * 2_000_000, count)).astype(float)
    programs = []
    for item in range(count):
        program = []
        for _ in range(random.integers(1, 5)):
            kind = random.integers(0, 5)
            if kind == 0:
                program.append((int(random.choice([Op.BLOCKED, Op.TASK_BLOCKED])), int(random.integers(1, 20_000_000))))
            elif kind == 1:
                lock = int(random.integers(0, 3))
                program += [(Op.ACQUIRE, lock), (Op.CPU, int(random.integers(1, 2_000_000))), (Op.RELEASE, lock)]
            elif kind == 2 and item > 0 and waits:
                program.append((int(random.choice([Op.WAIT, Op.TASK_WAIT])), int(random.integers(0, item))))
            else:
                program.append((Op.CPU, int(random.integers(0, 3_000_000))))
        if item % 7 == 3 and item + 2 < count:
            program.insert(1, (Op.ENQUEUE, item + 2))
            arrival[item + 2] = np.inf
            if answers:
                program.append((Op.ANSWER, item + int(random.integers(1, 3))))
                program.append((Op.ANSWER_MARK, int(random.integers(0, count))))
        programs.append([*program, (Op.MARK, item)])
    made = Program.of(programs)
    enqueues = np.flatnonzero(made.op == Op.ENQUEUE)
    made.value[enqueues[::2]] = random.integers(0, count * 2_000_000, len(enqueues[::2]))
    answered = np.flatnonzero(np.isin(made.op, (Op.ANSWER, Op.ANSWER_MARK)))
    made.value[answered] = random.integers(0, 50_000_000, len(answered))
    return Workload.in_turn(arrival, made, marks=count, locks=3)


def world_of(name, seed=0):
    """Returns a world with two cores and competitors that come and go."""
    cores = Steps(np.array([0.0, 1e8, 1.2e8]), np.array([2.0, 0.0, 2.0]))
    competitors = Steps(np.array([0.0, 5e7, 2e8]), np.array([0.0, 1.5, 0.25]))
    return World(cores, competitors, POLICIES[name], seed)
