"""The attribution compared with its definitions, computed one item and one time at a time (by_definition.py)."""

import numpy as np
import pytest
from by_definition import Plain, charged
from poolscope.attribution import attribute
from poolscope.attribution.causes.origins import find_arrivals, find_wakers, running_item
from poolscope.attribution.ladder import climb
from poolscope.base.series import Steps
from poolscope.executions.capacity import cores_had
from poolscope.executions.pool import measure_handoff
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.executions.suspension import stopped_while_waiting
from scenes import scene
from synthetic import MS

SEEDS = range(4)


@pytest.fixture(params=SEEDS, scope="module")
def found(request, tmp_path_factory):
    capture = scene(tmp_path_factory.mktemp("scene"), request.param).write()
    return capture, attribute(capture), Plain(capture)


def test_segments_are_the_states_within_each_item(found):
    _, attribution, plain = found
    s = attribution.segments
    ours = list(zip(s.item.tolist(), s.start.tolist(), s.end.tolist(), s.state.tolist(), strict=True))
    assert ours == plain.segments()


def test_executions_split_as_defined(found):
    _, attribution, plain = found
    e = attribution.execution
    ours = np.stack((e.cpu, e.blocked, e.ready, e.runtime, e.unknown), axis=1)
    assert (ours == plain.execution_parts()).all()


def test_the_pool_is_what_items_and_changes_say_at_every_moment(found):
    _, attribution, plain = found
    times = [t for moment in plain.moments() for t in (moment - 1, moment, moment + 1) if 0 <= t < plain.length]
    pool = attribution.pool
    assert pool.busy.at(times).tolist() == [plain.busy(t) for t in times]
    assert pool.queued.at(times).tolist() == [plain.queued(t) for t in times]
    assert pool.goal.at(times).tolist() == [plain.goal(t) for t in times]
    assert (pool.minimum.at(times) == plain.minimum).all() and (pool.maximum.at(times) == plain.maximum).all()


def test_the_handoff_is_the_wait_below_the_goal(found):
    capture, attribution, plain = found
    ours = measure_handoff(capture, attribution.items, attribution.segments, attribution.pool)
    core, dispatch = plain.handoff()
    assert ours.core.tolist() == core.tolist()
    assert ours.dispatch.tolist() == dispatch.tolist()
    assert core.any() and dispatch.any()


def test_steps_are_charged_as_defined(found):
    _, attribution, plain = found
    _, rungs = climb(attribution.split.ladder.worlds, 0)
    p = attribution.split.parts
    stopped, (core, dispatch) = plain.stopped(), plain.handoff()
    for i in range(attribution.items.count):
        delays = [
            float(d[i])
            for d in (rungs.actual, rungs.enough_threads, rungs.no_holding, rungs.enough_cores, rungs.unsuspended)
        ]
        handoff = (int(core[i]), int(dispatch[i]))
        expected = charged(
            int(p.wait[i]), handoff, delays, bool(rungs.never_short[i]), int(stopped[i]), 2 * plain.without_core(i, 2)
        )
        assert (p.injection[i], p.holding[i], p.dependency[i], p.core[i], p.runtime[i]) == expected, i


def test_a_suspension_stops_a_wait_by_its_share_of_the_busy_threads(found):
    _, attribution, plain = found
    segments = attribution.segments
    of = [plain.by_suspension(s) for s in plain.segments()]
    ours = stopped_while_waiting(
        attribution.items, segments, np.array(of), attribution.suspension, attribution.pool.busy
    )
    assert ours.tolist() == plain.stopped().tolist()


def test_injection_is_divided_by_what_the_threads_were_doing(found):
    _, attribution, plain = found
    injection = attribution.split.parts.injection
    assert attribution.split.behind_blocked == pytest.approx(injection * plain.blocked_share(), abs=1)


def test_who_woke_whom_and_who_queued_what(found):
    capture, attribution, plain = found
    items = attribution.items
    executions = Executions.of(items, find_carried(capture, items))
    ours = find_wakers(capture, executions, attribution.segments).execution
    for row, segment in enumerate(plain.segments()):
        if segment[3] == plain.blocked:
            assert ours[row] == plain.waker(segment), segment
    parents = find_arrivals(capture, items, executions).parent
    assert parents.tolist() == [plain.parent(i) for i in range(items.count)]
    assert (ours >= 0).any() and (parents >= 0).any()


def test_which_item_a_thread_is_in_at_and_around_every_boundary(found):
    capture, attribution, plain = found
    items = attribution.items
    executions = Executions.of(items, find_carried(capture, items))
    asked = [(w, t + d) for _, start, end, w in plain.items for t in (start, end) for d in (-1, 0, 1, 7)] + [(-1, 5)]
    tid, time = (np.array(column) for column in zip(*asked, strict=True))
    for grace in (0, 5):
        ours = running_item(executions, tid, time, grace)
        assert ours.tolist() == [plain.running_item(w, t, grace) for w, t in asked]


def test_where_the_pool_was_never_short_more_threads_change_nothing(found):
    """Until an item's start, or its end if it waited for others, nothing was queued while the goal was below the
    maximum."""
    _, attribution, plain = found
    split = attribution.split
    _, rungs = climb(split.ladder.worlds, 0)
    waited = split.causes.waits_for_others(attribution.segments, attribution.items.count)
    short = [t for t in plain.moments() if plain.goal(t) < plain.maximum and plain.queued(t)]
    for i, (_, start, end, _) in enumerate(plain.items):
        assert rungs.never_short[i] == (not short or short[0] >= start), i
        if not short or short[0] >= (end if waited[i] else start):
            assert rungs.enough_threads[i] >= rungs.actual[i], i
    assert (rungs.enough_threads < rungs.actual).any()


def test_competitors_count_by_the_share_that_they_took(found):
    _, attribution, plain = found
    ours = attribution.split.competitors.all
    edges = np.arange(0, 700 * MS, MS, dtype=float)
    assert ours.mean(edges) == pytest.approx(plain.competitors(2.0, edges), abs=1e-6)
    assert ours.value.max() > 1.0


def test_cores_had_are_those_that_items_were_on_while_one_was_ready(found):
    _, attribution, plain = found
    edges = np.arange(0, 1000 * MS, 10 * MS, dtype=float)
    ours = cores_had(attribution.segments, 2.0, Steps.constant(0.0)).mean(edges)
    assert ours == pytest.approx(plain.cores_had(2.0, edges), abs=1e-6)
    assert (ours < 2.0).any()


def test_the_measured_delay_is_completion_without_own_demand(found):
    _, attribution, plain = found
    split = attribution.split
    for i, (enqueue, start, end, worker) in enumerate(plain.items):
        if worker >= 0:
            assert split.ladder.actual[i] == end - enqueue - split.workload.demand[i]
        else:
            assert split.ladder.actual[i] == end - enqueue == start - enqueue
