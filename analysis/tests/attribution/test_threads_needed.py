"""How many threads a world needs, compared with its definition."""

import numpy as np
import pytest
from poolscope.attribution.ladder import _most_at_once
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.policies import Allowed


@pytest.mark.parametrize("stuck", [0, 7])
def test_items_that_never_end_need_no_thread(stuck):
    random = np.random.default_rng(stuck)
    programs = [[(Op.CPU, float(took))] for took in random.integers(1, 40, 60)]
    programs += [[(Op.WAIT, 0)]] * stuck
    workload = Workload.in_turn(random.integers(0, 90, len(programs)), Program.of(programs), marks=1)
    outcome = simulate(workload, World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf))
    start, end = outcome.start[:60], outcome.end[:60]
    assert outcome.deadlock == (stuck > 0)
    assert _most_at_once(outcome) == max(int(((start <= t) & (t < end)).sum()) for t in start)
    assert outcome.most_at_once >= _most_at_once(outcome)
