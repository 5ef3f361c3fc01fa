"""Points go among segments by item and time: machine code and a sort of everything give the same order."""

import numpy as np
import pytest
from poolscope.attribution.ladder.workload import _in_order, _Points
from poolscope.base import searches
from poolscope.executions.segments import Segments
from poolscope.replay.workload import Op


@pytest.mark.skipif(searches.prepared() is None, reason="made on Linux x64 with a C compiler")
@pytest.mark.parametrize("segments", [0, 1, 500])
@pytest.mark.parametrize("first", [0, 30])
def test_the_compiled_order_is_that_of_a_sort(segments, first, monkeypatch):
    """Also where points come before all segments, behind all, at the same moments, and at the end of time."""
    generator = np.random.default_rng(segments)
    item, start = np.divmod(np.sort(generator.choice(4_000, segments, replace=False)) + first * 100, 100)
    columns = Segments(item, start, start + 1, np.zeros(segments, dtype=np.uint8), np.zeros(segments))
    count = 3 * searches.FEW
    time = np.where(generator.random(count) < 0.05, np.iinfo(np.int64).max, generator.integers(0, 100, count))
    op = generator.choice([Op.RELEASE, Op.MARK, Op.ACQUIRE, Op.WAIT, Op.BLOCKED], count)
    points = _Points(generator.integers(0, 80, count), time, op, np.zeros(count), np.zeros(count, dtype=np.int64))
    compiled = _in_order(columns, points)
    monkeypatch.setattr(searches, "prepared", lambda: None)
    np.testing.assert_array_equal(compiled, _in_order(columns, points))
