"""The goal before its first change if the capture began late: no event shows it."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.series import Steps
from poolscope.executions.pool import _goal
from synthetic import MS, CaptureBuilder


def goal(folder, *, changes=(), launched=False, limits=(2, 32767)):
    """Three items run at once from 10 ms on, and a fourth from 600 ms on."""
    builder = CaptureBuilder(folder, length=1000 * MS, limits=limits, launched=launched)
    for worker in range(200, 203):
        builder.item(0, 10 * MS, 900 * MS, worker, [("blocked", 890 * MS)])
    builder.item(600 * MS, 600 * MS, 900 * MS, 203, [("blocked", 300 * MS)])
    for change in changes:
        builder.change(*change)
    return attribute(builder.write()).pool.goal.at([0, 599 * MS, 700 * MS]).tolist()


def test_the_gate_adds_one_so_the_goal_was_one_less(tmp_path):
    assert goal(tmp_path, changes=[(600 * MS, 8, "Starvation")]) == [7, 7, 8]


def test_any_other_change_tells_nothing_so_it_is_what_was_busy_before_it(tmp_path):
    assert goal(tmp_path, changes=[(600 * MS, 8, "ClimbingMove")]) == [3, 3, 8]


def test_without_a_change_it_is_the_most_that_were_ever_busy(tmp_path):
    assert goal(tmp_path) == [4, 4, 4]


@pytest.mark.parametrize("reason", ["Starvation", "ClimbingMove"])
def test_it_is_never_below_the_minimum(tmp_path, reason):
    assert goal(tmp_path, changes=[(600 * MS, 6, reason)], limits=(6, 100)) == [6, 6, 6]


def test_a_launched_program_begins_with_its_minimum(tmp_path):
    assert goal(tmp_path, changes=[(600 * MS, 8, "Starvation")], launched=True) == [2, 2, 8]


def test_a_goal_and_limits_that_are_told_at_the_very_beginning_hold_from_then_on():
    limit = Steps.constant(2.0), Steps.constant(100.0)
    assert _goal(2.0, np.array([0.0]), np.array([7.0]), *limit).at(np.array([0.0])).tolist() == [7.0]
    raised = Steps.constant(4.0), Steps.constant(100.0)
    assert _goal(2.0, np.zeros(0), np.zeros(0), *raised).at(np.array([0.0])).tolist() == [4.0]
