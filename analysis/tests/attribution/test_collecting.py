"""The time that an item runs while it collects garbage belongs to the suspension and is no demand of the item."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.series import Steps
from poolscope.coverage.coverage import replay_error
from poolscope.executions.segments import RUNNING, Segments
from poolscope.executions.suspension import running_while_suspended
from poolscope.replay.workload import Op
from synthetic import MS, CaptureBuilder

READY, BLOCKED = 1, 2


@pytest.mark.parametrize(
    ("state", "start", "end", "inside"),
    [
        pytest.param(RUNNING, 0, 100, 0, id="before"),
        pytest.param(RUNNING, 50, 150, 50, id="into it"),
        pytest.param(RUNNING, 120, 180, 60, id="within"),
        pytest.param(RUNNING, 50, 350, 100, id="all of it, and on to the edge of the next"),
        pytest.param(RUNNING, 50, 450, 200, id="both"),
        pytest.param(BLOCKED, 50, 450, 0, id="blocked"),
        pytest.param(READY, 50, 450, 0, id="ready"),
    ],
)
def test_only_what_ran_inside_a_suspension(state, start, end, inside):
    suspension = Steps(np.array([0.0, 100, 200, 350, 450]), np.array([0.0, 1, 0, 1, 0]))
    one = lambda value: np.array([value], dtype=np.int64)  # noqa: E731
    assert running_while_suspended(Segments(one(0), one(start), one(end), one(state), one(0)), suspension) == [inside]


@pytest.fixture
def collectors(tmp_path):
    """Builds thirty items in a row on one thread, all queued at once. Each runs for 10 ms, collects for 90 ms, and runs
    for 10 ms more."""
    builder = CaptureBuilder(tmp_path, length=4000 * MS, limits=(1, 1))
    for i in range(30):
        at = i * 110 * MS
        builder.item(0, at, at + 110 * MS, 200, [("running", 110 * MS)])
        builder.suspension(at + 10 * MS, at + 100 * MS)
    return attribute(builder.write())


def test_it_is_runtime_in_the_parts_and_no_demand(collectors):
    execution = collectors.execution
    assert execution.cpu.tolist() == [20 * MS] * 30 and execution.runtime.tolist() == [90 * MS] * 30
    assert (execution.blocked == 0).all() and (execution.unknown == 0).all()
    assert collectors.split.workload.program.per_item(Op.CPU).tolist() == [20 * MS] * 30


def test_the_replay_of_the_run_as_it_was_comes_out_right(collectors):
    assert abs(replay_error(collectors)) < 0.02


def test_the_wait_behind_the_collections_is_theirs(collectors):
    parts = collectors.split.parts
    assert parts.runtime.sum() / parts.wait.sum() == pytest.approx(90 / 110, abs=0.02)
    assert (parts.residual == 0).all()


def test_who_is_blocked_meanwhile_is_stopped_by_it(tmp_path):
    """One item collects and stops the other; both executions count the collection as runtime."""
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(0, 0, 300 * MS, 200, [("running", 300 * MS)])
    builder.item(0, 0, 300 * MS, 201, [("running", 110 * MS), ("blocked", 90 * MS), ("running", 100 * MS)])
    builder.suspension(100 * MS, 200 * MS)
    execution = attribute(builder.write()).execution
    # The second item ran on for 10 ms until it reached a safe point.
    assert execution.runtime.tolist() == [100 * MS, 100 * MS] and execution.cpu.tolist() == [200 * MS, 200 * MS]
    assert execution.blocked.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("waker", "reported", "runtime"),
    [
        pytest.param(201, None, 40, id="by a thread of the process: it came back late"),
        pytest.param(999, None, 10, id="by somebody else: it waited for something"),
        pytest.param(201, 11, 10, id="a wait says for what"),
        pytest.param(201, 50, 10, id="even as it goes on"),
    ],
)
def test_what_a_thread_is_blocked_beyond_a_suspension(tmp_path, waker, reported, runtime):
    """The thread is blocked from 11 to 50 ms, and the suspension lasts from 10 to 20 ms."""
    builder = CaptureBuilder(tmp_path, length=100 * MS).thread(201, 100, ".NET TP Worker")
    builder.item(0, 0, 100 * MS, 200, [("running", 11 * MS), ("blocked", 39 * MS), ("running", 50 * MS)])
    builder.suspension(10 * MS, 20 * MS).wakeup(50 * MS, waker, 200)
    if reported is not None:
        builder.wait(200, reported * MS, 51 * MS)
    execution = attribute(builder.write()).execution
    assert execution.runtime.tolist() == [runtime * MS]
    assert execution.blocked.tolist() == [(40 - runtime) * MS]
