"""Executions are cut along the states of their workers; the native extension and NumPy give the same parts."""

import numpy as np
import pandas as pd
import pytest
from poolscope.executions import segments
from poolscope.executions.segments import Executions
from ways import way  # noqa: F401

BASE = 1_000
"""The start of the window. Some states begin before it."""
TIDS = (7, 9, 12)


def _states(generator):
    """Returns states of some threads, with gaps between them; they begin before the window."""
    rows = []
    for tid in TIDS:
        edges = np.unique(BASE + generator.integers(-50, 400, 60))
        kept = generator.random(len(edges) - 1) < 0.8
        rows += [(tid, start, end) for start, end in zip(edges[:-1][kept], edges[1:][kept], strict=True)]
    tid, start, end = zip(*rows, strict=True)
    return pd.DataFrame({"tid": np.array(tid, dtype=np.int32), "start": start, "end": end})


def _executions(generator, count=80):
    """Returns executions on these threads, on a thread without states, and on none. Some are empty; some lie inside
    another."""
    start = generator.integers(0, 400, count)
    end = start + generator.integers(0, 60, count) * (generator.random(count) < 0.9)
    return Executions(generator.choice((*TIDS, 8, -1), count), start, end, count)


def _every_pair(states, executions):
    """Finds the parts by comparing every execution with every state."""
    found = []
    for item, (worker, start, end) in enumerate(
        zip(executions.worker, executions.start + BASE, executions.end + BASE, strict=True)
    ):
        for row, (tid, begin, until) in enumerate(states.itertuples(index=False)):
            if tid == worker and max(start, begin) < min(end, until):
                found.append((item, row, max(start, begin) - BASE, min(end, until) - BASE))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_parts_are_those_of_every_pair_of_an_execution_and_a_state(way, seed):
    generator = np.random.default_rng(seed)
    states, executions = _states(generator), _executions(generator)
    found = segments._cut(states, BASE, executions)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == _every_pair(states, executions)


def test_nothing_is_cut_without_states_or_without_executions(way):
    generator = np.random.default_rng(1)
    states, executions = _states(generator), _executions(generator)
    for rows, runs in ((states[:0], executions), (states, _executions(generator, 0))):
        assert [len(column) for column in segments._cut(rows, BASE, runs)] == [0, 0, 0, 0]
