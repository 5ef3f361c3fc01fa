"""What chance decides about work at another rate."""

import numpy as np
import pytest
from poolscope.whatif.chance import BLOCK, draw_copies


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("load", [0.3, 1.5, 1.97, 2.0])
@pytest.mark.parametrize("count", [0, 1, BLOCK, 333])
def test_groups_are_drawn_as_numpy_draws_them_block_by_block(seed, load, count):
    at_once, one_by_one = np.random.default_rng(seed), np.random.default_rng(seed)
    begin = np.arange(count, dtype=float)
    copies = draw_copies(begin, np.zeros(count, dtype=bool), load, at_once)

    edges = np.append(np.arange(0, count, BLOCK), count)
    due = np.floor((load - np.floor(load)) * edges + one_by_one.random()).astype(np.int64)
    expected = np.full(count, int(load))
    for low, high, extra in zip(edges[:-1], edges[1:], np.diff(due)):
        expected[one_by_one.choice(np.arange(low, high), size=int(extra), replace=False)] += 1
    assert copies.tolist() == expected.tolist()
    assert at_once.random() == one_by_one.random()
