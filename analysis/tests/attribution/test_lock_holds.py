"""Items that contended for a lock queue for it in every world: which item held it, from when to when."""

import numpy as np
import pytest
from causal import causal
from poolscope.attribution.causes.lock_events import Asks, Releases, first_of_each_hold
from synthetic import MS, CaptureBuilder

US = 1000


@pytest.fixture
def builder(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS)
    builder.as_given = True
    return builder


def convoy(builder, count=4, hold=40):
    """Adds items that start at once; item i sleeps with the lock from i * `hold` on. The first one gets it without a
    wait."""
    for i in range(count):
        got, done = i * hold * MS, (i + 1) * hold * MS
        wait = [("running", MS), ("blocked", got - MS)] if i else []
        builder.item(0, 0, done + 2 * MS, 200 + i, [*wait, ("blocked", hold * MS - US), ("running", 2 * MS + US)])
        builder.wakeup(done - US, -1, 200 + i)
        if i:
            builder.contention(200 + i, MS - US, got + US, owner=200 if got else -1)
            builder.wakeup(got, 199 + i, 200 + i)
    return builder


def operations(found, item):
    return [(op, round(value, 3) if isinstance(value, float) else value) for op, value in found.program(item)]


def test_each_asks_where_it_began_to_wait_and_lets_go_where_it_woke_the_next(builder):
    found = causal(convoy(builder))
    assert operations(found, 1) == [
        ("CPU", 0.999),
        ("ACQUIRE", 0),
        ("CPU", 0.001),
        ("BLOCKED", 39.999),
        ("CPU", 0.001),
        ("RELEASE", 0),
        ("CPU", 2.0),
    ]
    assert found.workload.locks == 1
    assert {e[4:] for e in found.edges()} == {("lock", "contention")}
    assert [(e[0], e[2]) for e in found.edges()] == [(0, 1), (1, 2), (2, 3)]


def test_a_first_holder_that_did_not_wait_is_known_by_the_one_that_it_woke(builder):
    found = causal(convoy(builder))
    # As long as the lock's other holds, ending at the wake-up.
    held = operations(found, 0)
    assert held[-2:] == [("RELEASE", 0), ("CPU", 2)]
    assert sum(v for _, v in held[held.index(("ACQUIRE", 0)) + 1 : -2]) == pytest.approx(40, abs=0.01)


def test_a_last_holder_that_woke_nobody_held_it_as_long_as_the_others(builder):
    held = operations(causal(convoy(builder)), 3)
    after = held[held.index(("ACQUIRE", 0)) + 1 : held.index(("RELEASE", 0))]
    assert sum(v for _, v in after) == pytest.approx(40, abs=0.01)


def test_waiting_for_the_lock_is_no_demand(builder):
    assert causal(convoy(builder)).workload.demand / MS == pytest.approx([42, 43, 43, 43], abs=0.01)


def test_a_lock_that_hardly_cost_anything_is_not_replayed(builder):
    builder.item(0, 0, 10 * MS, 200, [("running", 10 * MS)])
    builder.item(0, 0, 10 * MS, 201, [("running", MS), ("blocked", MS // 2), ("running", 8 * MS + MS // 2)])
    builder.contention(201, MS, MS + MS // 2, owner=200).wakeup(MS + MS // 2, 200, 201)
    found = causal(builder)
    assert found.workload.program.op.max() <= 1


def test_a_lock_that_a_thread_outside_the_pool_held_keeps_its_wait(builder):
    builder.item(0, 0, 100 * MS, 200, [("running", MS), ("blocked", 49 * MS), ("running", 50 * MS)])
    builder.contention(200, MS, 50 * MS, owner=999).wakeup(50 * MS, 999, 200)
    found = causal(builder)
    assert found.program(0)[:3] == [("CPU", 1), ("BLOCKED", 49), ("ACQUIRE", 0)]
    assert not found.causes.holds.replaced.any(), "no item handed it on"


class TestWhatIsNoHold:
    """200 holds the lock for 40 ms and then runs on for 40; 201 waits for it from 1 ms on."""

    def pair(self, builder):
        builder.item(0, 0, 80 * MS, 200, [("blocked", 40 * MS - US), ("running", 40 * MS + US)])
        builder.item(0, 0, 120 * MS, 201, [("running", MS), ("blocked", 39 * MS), ("running", 80 * MS)])
        builder.contention(201, MS - US, 41 * MS, owner=200)
        return builder.wakeup(40 * MS - US, -1, 200).wakeup(40 * MS, 200, 201)

    def acquired(self, found, item):
        return sum(op == "ACQUIRE" for op, _ in found.program(item))

    def test_one(self, builder):
        found = causal(self.pair(builder))
        assert (self.acquired(found, 0), self.acquired(found, 1)) == (1, 1)

    @pytest.mark.parametrize(("later", "holds"), [(50 * US, 1), (200 * US, 1), (200 * US + 1, 2)])
    def test_a_second_wake_up_right_after_the_first_one(self, builder, later, holds):
        builder.state(202, 0, 1, "running")
        self.pair(builder)
        builder.item(0, 0, 120 * MS, 202, [("running", 2 * MS), ("blocked", 38 * MS + later), ("running", 70 * MS)])
        builder.rows["thread_states"][0]["tid"] = 999
        builder.contention(202, 2 * MS - US, 42 * MS, owner=200).wakeup(40 * MS + later, 200, 202)
        assert self.acquired(causal(builder), 0) == holds

    def test_a_wake_up_by_one_that_waits_for_the_lock_itself(self, builder):
        self.pair(builder)
        builder.item(0, 0, 120 * MS, 202, [("running", 2 * MS), ("blocked", 38 * MS + 500 * US), ("running", 70 * MS)])
        # On its way to the lock, and before it has it, 201 wakes 202.
        builder.contention(202, 2 * MS - US, 90 * MS, owner=200).wakeup(40 * MS + 500 * US, 201, 202)
        assert self.acquired(causal(builder), 1) == 1


def test_two_instants_with_the_monitor_of_a_semaphore_are_not_one_hold_for_what_it_guards(builder):
    """Each item waits 0.6 ms for the monitor as it enters, sleeps 100 ms, and makes another wait 0.6 ms as it
    leaves."""
    for i in range(4):
        begin = i * 101 * MS
        states = [("blocked", 600 * US), ("running", 400 * US), ("blocked", 99 * MS), ("running", 2 * MS)]
        builder.item(begin, begin, begin + 102 * MS, 200 + i, states)
        builder.contention(200 + i, begin, begin + 601 * US)
        if i:
            builder.wakeup(begin + 600 * US, 199 + i, 200 + i)
    holds = causal(builder).causes.holds
    assert (holds.released - holds.asked).max() < 5 * MS


@pytest.mark.parametrize(("longer", "holds"), [(0, 1), (1, 2)])
def test_what_lasts_more_than_four_times_what_waiters_saw_is_two_holds(builder, longer, holds):
    """Every waiter comes 10 ms before it gets the lock, so the second item's hold is at most 40 ms."""
    got = [0, 10 * MS, 50 * MS + longer, 60 * MS + longer]
    for i, at in enumerate(got):
        came = max(at - 10 * MS, 0)
        builder.item(came, came, 100 * MS, 200 + i, [("blocked", at - came)] * bool(i) + [("running", 100 * MS - at)])
        if i:
            builder.contention(200 + i, came, at).wakeup(at, 199 + i, 200 + i)
    found = causal(builder)
    assert [op for op, _ in found.program(1)].count("ACQUIRE") == holds
    held = (found.causes.holds.released - found.causes.holds.asked)[found.causes.holds.execution == 1]
    assert (held.sum() == 50 * MS) == (holds == 1), "asked at 0, let go at 50 ms"


def test_two_holds_of_one_item_follow_each_other(builder):
    """The second item has the lock from 10 to 60 ms, too long for one hold. Two holds of 38 ms, like the third item's,
    would overlap."""
    for i, at in enumerate((0, 10, 60, 98)):
        came = max(at - 10, 0)
        states = [("blocked", (at - came) * MS)] * bool(i) + [("running", (130 - at) * MS)]
        builder.item(came * MS, came * MS, 130 * MS, 200 + i, states)
        if i:
            builder.contention(200 + i, came * MS, at * MS).wakeup(at * MS, 199 + i, 200 + i)
    holds = causal(builder).causes.holds
    own = holds.execution == 1
    assert sorted(zip(holds.asked[own] // MS, holds.released[own] // MS)) == [(0, 48), (48, 60)]


def test_two_locks_side_by_side_are_each_as_if_alone(builder):
    alone = causal(convoy(builder)).causes.holds
    for rows in builder.rows.values():
        for row in list(rows):
            tids = [key for key in row if key.endswith("tid") and row[key] >= 200]
            if tids:
                rows.append(
                    {**row, **{key: row[key] + 100 for key in tids}} | ({"object": 2} if "object" in row else {})
                )
    both = causal(builder).causes.holds
    for lock in (0, 1):
        own = both.lock == lock
        for name in ("asked", "released", "known"):
            assert sorted(getattr(both, name)[own]) == sorted(getattr(alone, name))


def test_an_item_that_takes_the_lock_twice_has_two_holds(builder):
    """200 has the lock until 10 ms and from 20 to 30 ms; 201 from 10 to 20 and from 30 to 40 ms."""
    turns = [("running", 11 * MS), ("blocked", 9 * MS)] * 2
    builder.item(0, 0, 40 * MS, 200, [*turns[:2], ("running", 20 * MS)])
    builder.item(MS, MS, 40 * MS, 201, [turns[1], *turns[:2], ("running", 10 * MS)])
    for at, waiter, owner in ((10, 201, 200), (20, 200, 201), (30, 201, 200)):
        builder.contention(waiter, (at - 9) * MS, at * MS).wakeup(at * MS, owner, waiter)
    holds = causal(builder).causes.holds
    found = sorted(zip(holds.execution.tolist(), (holds.asked // MS).tolist(), (holds.released // MS).tolist()))
    assert found == [(0, 0, 10), (0, 11, 30), (1, 1, 20), (1, 21, 40)]


def test_who_gets_a_lock_may_pass_it_on_in_the_same_nanosecond(builder):
    """Its own wait was over, so it is not a thread that wakes another while it waits itself."""
    for i, at in enumerate((0, 10 * MS, 10 * MS)):
        builder.item(0, 0, 50 * MS, 200 + i, [("blocked", at)] * bool(i) + [("running", 50 * MS - at)])
    builder.contention(201, 0, 10 * MS).wakeup(10 * MS, 200, 201)
    builder.contention(202, 0, 10 * MS).wakeup(10 * MS, 201, 202)
    holds = causal(builder).causes.holds
    assert holds.released[holds.execution == 1].tolist() == [10 * MS + 1]


def test_an_estimated_hold_is_over_before_its_item_waits_for_another_one(builder):
    convoy(builder, 2)
    builder.rows["work_items"][1]["end"] = 300 * MS
    builder.rows["thread_states"].pop()
    builder.rows["thread_states"].pop()  # item 1 after it got the lock: it soon waits for item 2
    builder.state(201, 40 * MS, 45 * MS, "running").state(201, 45 * MS, 200 * MS, "blocked")
    builder.state(201, 200 * MS, 300 * MS, "running").wakeup(200 * MS, 299, 201)
    builder.item(0, 0, 300 * MS, 299, [("running", 300 * MS)])
    program = operations(causal(builder), 1)
    assert program.index(("RELEASE", 0)) < program.index(("WAIT", 0))


class TestWithoutWakeUps:
    def test_owners_and_the_ends_of_waits_tell_the_holds(self, tmp_path):
        builder = convoy(CaptureBuilder(tmp_path, length=2000 * MS, tier="switch"))
        found = causal(builder)
        for item in range(1, 4):
            program = operations(found, item)
            held = program[program.index(("ACQUIRE", 0)) + 1 : program.index(("RELEASE", 0))]
            assert sum(v for _, v in held) == pytest.approx(40, abs=0.1)
        assert operations(found, 0)[0] == ("ACQUIRE", 0)
        assert found.workload.demand / MS == pytest.approx([42, 43, 43, 43], abs=0.01)

    def test_an_owner_outside_the_pool_keeps_the_wait(self, tmp_path):
        builder = CaptureBuilder(tmp_path, length=2000 * MS, tier="switch")
        builder.item(0, 0, 100 * MS, 200, [("running", MS), ("blocked", 49 * MS), ("running", 50 * MS)])
        builder.contention(200, MS, 50 * MS, owner=999)
        found = causal(builder)
        assert found.program(0)[:2] == [("CPU", 1), ("BLOCKED", 49)]
        assert found.causes.holds.execution.tolist() == [0], "no known execution held it before"


def test_a_contention_that_is_told_just_after_its_thread_was_blocked_is_that_block(builder):
    """A thread that is already off its core may write the event."""
    for begun in (-US, US):
        builder.rows["work_items"].clear(), builder.rows["thread_states"].clear(), builder.rows["waits"].clear()
        builder.item(0, 0, 80 * MS, 200, [("running", 80 * MS)])
        builder.item(0, 0, 120 * MS, 201, [("running", MS), ("blocked", 39 * MS), ("running", 80 * MS)])
        builder.contention(201, MS + begun, 41 * MS, owner=200).wakeup(40 * MS, 200, 201)
        found = causal(builder)
        assert ("ACQUIRE", 0) in found.program(1) and "BLOCKED" not in [op for op, _ in found.program(1)]


@pytest.mark.parametrize("lock", [0, 1, 5])
def test_a_wake_up_by_who_waits_for_that_very_lock_lets_go_of_none(lock):
    """Execution 1 asks for the lock at 10 ms and gets it at 50; it wakes others at 20 and at 60. Execution 2 does not
    wait."""
    wakes = [(1, 20 * MS), (1, 60 * MS), (2, 20 * MS)]
    by, at = (np.array(column) for column in zip(*wakes))
    releases = Releases(np.full(3, lock), by, at, np.zeros(3, dtype=np.int64))
    asks = Asks(np.array([lock, lock + 1]), np.array([1, 2]), np.full(2, 10 * MS), np.full(2, 50 * MS))
    left = first_of_each_hold(releases, asks, 3)
    assert list(zip(left.execution.tolist(), left.time.tolist())) == [(1, 60 * MS), (2, 20 * MS)]
