"""Programs are segments cut at points; the native pass and NumPy give the same."""

import numpy as np
import pytest
from poolscope import native
from poolscope.attribution.programs import LAST, Points, compile_by_sorting, compile_programs
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments
from poolscope.replay.workload import Op
from ways import NATIVE

EXECUTIONS = 40
KINDS = [Op.RELEASE, Op.MARK, Op.ENQUEUE, Op.ACQUIRE, Op.WAIT, Op.TASK_WAIT, Op.CPU, Op.BLOCKED]


def _segments(generator, count):
    """Returns segments in order of execution and time. Some are empty or begin with the one before; some executions
    have none."""
    item = np.sort(generator.choice(EXECUTIONS // 2, count) * 2 + 1)
    start = generator.integers(0, 100, count)
    order = np.lexsort((start, item))
    start = start[order]
    end = start + generator.integers(0, 9, count)
    state = generator.choice([RUNNING, READY, BLOCKED], count).astype(np.int8)
    return Segments(item, start, end, state, np.zeros(count))


def _points(generator, count):
    """Returns points at the ends of segments and between them, several at one time, and some at the end of time."""
    time = np.where(generator.random(count) < 0.1, LAST, generator.integers(0, 110, count))
    value, target = generator.integers(0, 50, count).astype(np.float64), generator.integers(-1, 5, count)
    return Points(generator.integers(0, EXECUTIONS, count), time, generator.choice(KINDS, count), value, target)


def _same(found, expected):
    for name in ("first", "op", "value", "target"):
        mine, other = getattr(found, name), getattr(expected, name)
        assert mine.dtype == other.dtype, name
        np.testing.assert_array_equal(mine, other, err_msg=name)


@NATIVE
@pytest.mark.parametrize("sizes", [(0, 0), (0, 30), (30, 0), (1, 1), (60, 5), (5, 60), (400, 300)])
@pytest.mark.parametrize("seed", range(8))
def test_the_native_pass_makes_what_sorting_makes(sizes, seed):
    generator = np.random.default_rng((seed, *sizes))
    segments, points = _segments(generator, sizes[0]), _points(generator, sizes[1])
    kinds = np.where(segments.state == RUNNING, np.int8(Op.CPU), np.int8(Op.BLOCKED))
    until = segments.end - generator.integers(0, 5, sizes[0])
    given = EXECUTIONS, segments, until, kinds, points
    _same(compile_programs(*given), compile_by_sorting(*given))


@pytest.mark.parametrize("compile_all", [compile_programs, compile_by_sorting])
def test_a_program_by_hand(compile_all):
    """Execution 1 computes for 10 ns, queues something 4 ns in, is ready for 5 ns, and computes for 3. Executions 0 and
    2 do nothing."""
    segments = Segments(
        np.array([1, 1, 1]),
        np.array([0, 10, 15]),
        np.array([10, 15, 18]),
        np.array([RUNNING, READY, RUNNING], dtype=np.int8),
        np.zeros(3),
    )
    queued = Points.of(np.array([1]), np.array([4]), Op.ENQUEUE, np.array([7]))
    found = compile_all(3, segments, segments.end, np.full(3, np.int8(Op.CPU)), queued)
    assert found.first.tolist() == [0, 0, 3, 3]
    assert found.op.tolist() == [Op.CPU, Op.ENQUEUE, Op.CPU]
    assert found.value.tolist() == [4.0, 0.0, 9.0]
    assert found.target.tolist() == [-1, 7, -1]


def test_segments_in_no_order_are_left_to_sorting(monkeypatch):
    generator = np.random.default_rng(1)
    segments, points = _segments(generator, 50), _points(generator, 50)
    item, start, end, state = (column[::-1] for column in (segments.item, segments.start, segments.end, segments.state))
    back = Segments(item, start, end, state, np.zeros(50))
    given = EXECUTIONS, back, back.end, np.full(50, np.int8(Op.CPU)), points
    found = compile_programs(*given)
    monkeypatch.setattr(native, "extension", None)
    _same(found, compile_programs(*given))
