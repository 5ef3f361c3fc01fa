"""Waits of items for each other count as delay, and the ladder attributes them to the late start of the other item."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from causal import causal
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from poolscope.attribution import attribute
from poolscope.attribution.ladder import climb
from poolscope.base.series import Steps
from poolscope.product import analyse
from poolscope.replay import Op, World, simulate
from poolscope.replay.policies import Allowed
from synthetic import MS, CaptureBuilder

FREE = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)


def barrier(folder, count=6):
    """Builds items that get one more thread a second; no item ends before the last one has started."""
    builder = CaptureBuilder(folder, length=count * 1000 * MS)
    last = (count - 2) * 1000 * MS
    for i in range(count):
        start = max(i - 1, 0) * 1000 * MS
        states = [("running", MS), ("blocked", last - start), ("running", MS)]
        builder.item(0, start, last + 2 * MS, 200 + i, states if i < count - 1 else [("running", 2 * MS)])
        if i > 1:
            builder.change(start, i + 1)
        if i < count - 1:
            builder.wakeup(last + MS, 200 + count - 1, 200 + i)
    return builder


def test_at_a_barrier_all_are_late_because_the_last_one_is(tmp_path):
    analysis = analyse(barrier(tmp_path).write())
    split = analysis.attribution.split
    assert analysis.verdict.id == "injection-delay"
    assert split.parts.injection.sum() >= 0.99 * split.parts.wait.sum()
    # All items end 4 s after they were queued, and none of that time is their own demand.
    assert split.ladder.actual / MS == pytest.approx(4000, abs=5)
    assert climb(split.ladder.worlds, 0)[1].enough_threads / MS == pytest.approx(0, abs=5)
    assert analysis.coverage.replay_error == pytest.approx(0, abs=0.01)
    assert analysis.coverage.edge_blocked_ms == analysis.coverage.blocked_ms == 4000 + 4000 + 3000 + 2000 + 1000


def convoy(folder, order):
    """Builds two threads on a pool that may grow; the lock passes in `order`, not in the order of the queue."""
    count = len(order)
    builder = CaptureBuilder(folder, length=(count + 1) * 40 * MS, limits=(2, 32767))
    for turn, item in enumerate(order):
        got, done = turn * 40 * MS, (turn + 1) * 40 * MS
        start = max(got - 40 * MS, item * 1000)
        wait = [("running", MS), ("blocked", got - start - MS)] if turn else [("running", MS)]
        held = 40 * MS - (0 if turn else MS + start)
        worker = 200 + turn % 2
        builder.item(item * 1000, start, done, worker, [*wait, ("blocked", held - 1000), ("running", 1000)])
        builder.wakeup(done - 1000, -1, worker)
        if turn:
            builder.contention(worker, start + MS - 1000, got, owner=200 + (turn - 1) % 2)
            builder.wakeup(got, 200 + (turn - 1) % 2, worker)
    return builder


def test_items_that_start_late_behind_a_lock_would_wait_for_it_instead(tmp_path):
    analysis = analyse(convoy(tmp_path, range(40)).write())
    parts = analysis.attribution.split.parts
    assert parts.dependency.sum() >= 0.95 * parts.wait.sum()
    assert analysis.verdict.id == "lock-convoy"


def test_the_order_in_which_a_lock_passes_is_no_cause(tmp_path):
    mixed = [0, 1, *(int(i) for i in np.random.default_rng(1).permutation(np.arange(2, 40)))]
    parts = analyse(convoy(tmp_path, mixed).write()).attribution.split.parts
    assert parts.injection.sum() <= 0.05 * parts.wait.sum()


def test_a_wait_for_an_item_that_is_queued_behind_is_what_the_threads_are_short_of(tmp_path):
    """Two items hold both threads and wait for items that they queued; a third thread comes after 1 s."""
    builder = CaptureBuilder(tmp_path, length=3000 * MS)
    for i, done in enumerate((1010, 1020)):
        builder.item(0, 0, (done + 1) * MS, 200 + i, [("running", MS), ("blocked", (done - 1) * MS), ("running", MS)])
        builder.item(MS, (done - 10) * MS, done * MS, 202, [("running", 10 * MS)], enqueue_tid=200 + i, parent=i)
        builder.wakeup(done * MS, 202, 200 + i)
    builder.change(1000 * MS, 3)
    split = analyse(builder.write()).attribution.split
    assert split.parts.injection.sum() >= 0.98 * split.parts.wait.sum()
    assert split.ladder.actual / MS == pytest.approx([1009, 1019, 999, 1009], abs=1)
    assert climb(split.ladder.worlds, 0)[1].enough_threads.max() <= 20 * MS


def test_an_item_that_never_ends_in_a_world_is_as_late_there_as_it_was(tmp_path):
    builder = CaptureBuilder(tmp_path, length=3000 * MS, limits=(1, 1))  # yet two items run at once
    builder.item(0, 0, 1000 * MS, 200, [("running", MS), ("blocked", 998 * MS), ("running", MS)])
    builder.item(MS, 500 * MS, 999 * MS, 201, [("running", 499 * MS)], enqueue_tid=200, parent=0)
    builder.wakeup(999 * MS, 201, 200)
    split = analyse(builder.write()).attribution.split
    worlds = split.ladder.worlds
    assert worlds.run(worlds.pool.maximum, worlds.finite, worlds.cores.competitors, True).deadlock
    assert np.isfinite(climb(split.ladder.worlds, 0)[1].enough_threads).all()
    assert (split.parts.residual == 0).all()


small = st.integers(0, 3000)


@st.composite
def tangles(draw, locks):
    """Draws random items, states, enqueues and wake-ups among a few workers, plausible or not."""
    items: list = []
    free: dict = {}
    for _ in range(draw(st.integers(1, 20))):
        worker = draw(st.integers(200, 204))
        enqueue = draw(st.integers(1, 3000))
        start = max(enqueue + draw(small), free.get(worker, 0))
        kinds = st.sampled_from(["running", "ready", "blocked", "blocked"])
        states = draw(st.lists(st.tuples(kinds, st.integers(1, 800)), max_size=6))
        free[worker] = end = start + sum(d for _, d in states)
        wakers = [draw(st.integers(199, 204)) for _ in states]
        contended = [locks and draw(st.booleans()) for _ in states]
        handles = [draw(st.integers(0, 2)) for _ in states]
        items.append((enqueue, start, end, worker, states, draw(st.integers(199, 204)), wakers, contended, handles))
    return items


def nobody_wakes_while_woken(items):
    """Returns whether no two items wake each other in the same nanosecond: neither could be the first."""
    woken, wakers = set(), set()
    for _, start, _, worker, states, _, by, _, _ in items:
        ends = np.cumsum([start, *(length for _, length in states)])[1:]
        for (name, _), at, waker in zip(states, ends, by, strict=True):
            if name == "blocked":
                woken.add((at, worker))
                wakers.add((at, waker))
    return not woken & wakers


def tangled(folder, items):
    builder = CaptureBuilder(Path(folder), length=60_000 * MS)
    builder.state(1, 0, MS, "running")
    builder.thread(199, 100, ".NET Sockets")
    for enqueue, start, end, worker, states, by, wakers, contended, handles in items:
        scaled = [(name, d * MS) for name, d in states]
        builder.item(enqueue * MS - MS // 2, start * MS, end * MS, worker, scaled, enqueue_tid=by)
        at = start
        for (name, length), waker, lock, handle in zip(states, wakers, contended, handles, strict=True):
            if name == "blocked":
                builder.wakeup((at + length) * MS, waker, worker)
                if lock:
                    builder.contention(worker, at * MS, (at + length) * MS, lock=1 + handle, owner=waker)
                else:
                    builder.wait(worker, at * MS, (at + length) * MS)
                    builder.rows["waits"][-1]["object"] = handle
            at += length
    return builder


@settings(max_examples=20)
@given(tangles(locks=False))
def test_whatever_wakes_whatever_with_threads_for_all_everything_ends(items):
    assume(nobody_wakes_while_woken(items))
    with tempfile.TemporaryDirectory() as folder:
        found = causal(tangled(folder, items))
    outcome = simulate(found.workload, FREE)
    assert not outcome.deadlock
    # No item ends later than recorded: nothing takes longer in this world.
    assert (outcome.end <= found.items.end + 1).all()


@settings(max_examples=20)
@given(tangles(locks=True))
def test_whatever_the_causes_demands_and_parts_add_up(items):
    with tempfile.TemporaryDirectory() as folder:
        capture = tangled(folder, items).write()
        a = attribute(capture)
    split, execution = a.split, a.execution
    program = split.workload.program
    own = split.workload.demand
    assert program.per_item(Op.CPU) == pytest.approx(execution.cpu)
    assert (
        program.per_item(Op.BLOCKED) + program.per_item(Op.TASK_BLOCKED) <= execution.blocked + execution.unknown
    ).all()
    kept = ~split.causes.replaced & (a.segments.state == 2)
    blocked = np.bincount(a.segments.item[kept], a.segments.duration[kept], a.items.count)
    assert (own >= execution.cpu + blocked - 1).all()
    # An item acquires every lock before it releases it.
    for item in range(a.items.count):
        held = set()
        for row in range(program.first[item], program.first[item + 1]):
            if program.op[row] == Op.ACQUIRE:
                assert program.target[row] not in held
                held.add(program.target[row])
            if program.op[row] == Op.RELEASE:
                held.remove(program.target[row])
        assert not held
    p = split.parts
    assert (p.residual == 0).all()
    for part in (p.injection, p.holding, p.dependency, p.core, p.runtime):
        assert (part >= 0).all()
