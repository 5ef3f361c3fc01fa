"""The loop's heaps against heapq, in arrays whose neighbouring places belong to something else."""

import heapq

import numpy as np
import pytest
from poolscope.replay.loop.heaps import pop, push

KEYS, ITEMS, ROOM = 3, 5, 40


@pytest.mark.parametrize("guard", [-np.inf, np.inf])
@pytest.mark.parametrize("seed", range(4))
def test_what_comes_out_is_the_least_and_nothing_beside_is_touched(seed, guard):
    """Many equal keys: of these the lowest item comes first."""
    random = np.random.default_rng(seed)
    f = [guard] * (KEYS + ROOM + 3)
    i = [int(np.sign(guard)) * 10**9] * (ITEMS + ROOM + 3)
    oracle = []
    for item in random.permutation(400):
        if len(oracle) < ROOM and (not oracle or random.random() < 0.55):
            key = float(random.integers(8))
            push(f, i, KEYS, ITEMS, len(oracle), key, int(item))
            heapq.heappush(oracle, (key, int(item)))
        else:
            assert (f[KEYS], i[ITEMS]) == oracle[0]
            assert pop(f, i, KEYS, ITEMS, len(oracle)) == heapq.heappop(oracle)[1]
        assert sorted(zip(f[KEYS : KEYS + len(oracle)], i[ITEMS : ITEMS + len(oracle)])) == sorted(oracle)
        assert f[:KEYS] == [guard] * KEYS and f[KEYS + ROOM :] == [guard] * 3
        assert len(set(i[:ITEMS] + i[ITEMS + ROOM :])) == 1
