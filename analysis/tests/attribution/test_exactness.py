"""In any capture no part of the wait is negative, and the parts add up to the wait to the nanosecond."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st
from poolscope.attribution import attribute
from poolscope.attribution.ladder import charge
from poolscope.base.series import Steps
from poolscope.executions.pool import Handoff
from synthetic import MS, CaptureBuilder

LENGTH = 10_000
small = st.integers(0, 3000)


@st.composite
def captures(draw):
    """Draws random items on random workers, with random states that need not fit the pool."""
    items: list = []
    free: dict = {}
    for _ in range(draw(st.integers(1, 25))):
        worker = draw(st.integers(200, 205))
        enqueue = draw(small)
        start = max(enqueue + draw(small), free.get(worker, 0))
        states = draw(
            st.lists(st.tuples(st.sampled_from(["running", "ready", "blocked"]), st.integers(1, 800)), max_size=5)
        )
        end = start + sum(d for _, d in states) + draw(st.integers(0, 50))
        known = draw(st.sampled_from(["whole", "whole", "whole", "no-enqueue", "queued"]))
        if known == "queued":
            items.append((enqueue, -1, -1, -1, []))
            continue
        free[worker] = end
        items.append((-1 if known == "no-enqueue" else enqueue, start, end, worker, states))
    changes = draw(st.lists(st.tuples(small, st.integers(1, 9)), max_size=6))
    suspensions = draw(st.lists(st.tuples(small, st.integers(1, 500)), max_size=3))
    limits = draw(st.sampled_from([(2, 32767), (1, 1), (2, 4)]))
    return items, sorted(changes), suspensions, limits


@settings(max_examples=60)
@given(captures())
def test_parts_add_up_exactly_and_none_is_negative(capture):
    items, changes, suspensions, limits = capture
    with tempfile.TemporaryDirectory() as folder:
        builder = CaptureBuilder(Path(folder), length=60_000 * MS, limits=limits, launched=False)
        builder.state(1, 0, MS, "running")  # another process: a kernel stream is never empty
        for enqueue, start, end, worker, states in items:
            scaled = [(name, d * MS) for name, d in states]
            came, begun, ended = (t * MS if t >= 0 else -1 for t in (enqueue, start, end))
            builder.item(came, begun, ended, worker, scaled)
        for time, goal in changes:
            builder.change(time * MS, goal)
        for start, length in suspensions:
            builder.suspension(start * MS, (start + length) * MS)
        a = attribute(builder.write())
    p, e = a.split.parts, a.execution
    for part in (p.injection, p.holding, p.dependency, p.core, p.runtime, e.cpu, e.blocked, e.ready, e.runtime):
        assert (part >= 0).all()
    assert (e.unknown >= 0).all()
    assert (p.residual == 0).all()
    assert (p.wait == a.items.wait).all()
    assert (e.cpu + e.blocked + e.ready + e.runtime + e.unknown == a.items.end - a.items.dequeue).all()
    assert (a.split.behind_blocked <= p.injection).all()


class _Items:
    def __init__(self, wait):
        self.wait = wait


class _Ladder:
    def __init__(self, *delays):
        self.actual, self.enough_threads, self.no_holding, self.enough_cores, self.unsuspended = delays
        self.never_short = np.arange(len(self.actual)) % 2 == 0


@settings(max_examples=300)
@given(st.lists(st.tuples(*[st.integers(-(10**12), 10**13)] * 5, *[st.integers(0, 10**13)] * 5), min_size=1))
def test_charging_any_delays_whatever_adds_up(rows):
    columns = np.array(rows, dtype=np.int64).T
    wait = columns[5] + columns[6] + columns[7]
    items: Any = _Items(wait)
    ladder: Any = _Ladder(*columns[:5].astype(float))
    parts = charge(
        items,
        Handoff(columns[5], columns[6], Steps.constant(0.0)),
        ladder,
        columns[8],
        columns[9].astype(float),
    )
    assert (parts.core <= np.maximum(columns[9], columns[5])).all()
    assert (parts.residual == 0).all()
    for part in (parts.injection, parts.holding, parts.dependency, parts.core, parts.runtime):
        assert (part >= 0).all()
