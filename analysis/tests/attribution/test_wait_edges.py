"""Blocked time that another item ended is a wait for that point of its program; all other time keeps its duration."""

import pytest
from causal import causal
from synthetic import MS, CaptureBuilder

US = 1000


@pytest.fixture
def builder(tmp_path):
    return CaptureBuilder(tmp_path, length=1000 * MS)


def waiter(builder, blocked=(10, 60), end=100, worker=200):
    start, stop = (int(t * MS) for t in blocked)
    states = [("running", start), ("blocked", stop - start), ("running", end * MS - stop)]
    return builder.item(0, 0, end * MS, worker, states)


def other(builder, worker=201):
    return builder.item(0, 0, 200 * MS, worker, [("running", 200 * MS)])


def test_a_wait_that_an_item_ended_is_a_wait_for_that_point_of_it(builder):
    other(waiter(builder)).wakeup(60 * MS, 201, 200)
    found = causal(builder)
    assert found.program(0) == [("CPU", 10), ("WAIT", 0), ("CPU", 40)]
    assert found.program(1) == [("CPU", 60), ("MARK", 0), ("CPU", 140)]
    assert found.edges() == [(1, 60, 0, 60, "wait", "wakeup")]
    assert found.workload.demand.tolist() == [50 * MS, 200 * MS]


@pytest.mark.parametrize("waker", [-1, 999, 205], ids=["timer", "another-thread", "worker-without-an-item"])
def test_what_came_from_outside_keeps_its_duration(builder, waker):
    other(waiter(builder)).wakeup(60 * MS, waker, 200)
    found = causal(builder)
    assert found.program(0) == [("CPU", 10), ("BLOCKED", 50), ("CPU", 40)]
    assert found.edges() == [] and not found.unknown().any()


@pytest.mark.parametrize(("format", "edges"), [("perf.data", 1), ("perf-script", 0)])
def test_where_an_interrupt_names_a_bystander_a_wait_needs_an_event_of_the_runtime(builder, format, edges):
    other(waiter(builder, blocked=(10, 70))).wakeup(70 * MS, 201, 200)
    builder.manifest["made_from"] = [{"file": "sched.script.txt", "from": "sched.txt", "format": format}]
    found = causal(builder)
    assert len(found.edges()) == edges
    assert found.program(0)[1] == (("WAIT", 0) if edges else ("BLOCKED", 60))


def test_without_a_wake_up_the_end_is_unknown_and_the_duration_kept(builder):
    other(waiter(builder))
    found = causal(builder)
    assert found.program(0) == [("CPU", 10), ("BLOCKED", 50), ("CPU", 40)]
    assert found.unknown().sum() == 1


def test_a_worker_may_wake_others_after_the_corrected_end_of_its_item(builder):
    waiter(builder).wakeup(60 * MS, 201, 200)
    builder.item(0, 0, 59 * MS, 201, [("running", 59 * MS)])
    found = causal(builder)
    assert found.program(1) == [("CPU", 59), ("MARK", 0)]
    assert found.edges() == [(1, 59, 0, 60, "wait", "wakeup")], "within the execution"
    # But not if it could belong to another wait.
    builder.rows["work_items"][1]["end"] -= 5 * MS
    assert causal(builder).edges() == []


def test_a_moment_that_ends_several_waits_is_one_mark(builder):
    other(waiter(waiter(builder), worker=202))
    builder.wakeup(60 * MS, 201, 200).wakeup(60 * MS, 201, 202)
    found = causal(builder)
    assert found.workload.marks == 1
    assert found.program(2) == [("CPU", 60), ("MARK", 0), ("CPU", 140)]


@pytest.mark.parametrize("length", [0.9, 12])
def test_a_short_block_that_no_event_tells_of_is_the_runtimes_own(builder, length):
    end = int((10 + length) * MS)
    other(waiter(builder, blocked=(10, 10 + length))).wakeup(end, 201, 200)
    assert causal(builder).edges() == []
    builder.wait(200, 10 * MS - 5 * US, end + US)
    assert [e[4] for e in causal(builder).edges()] == ["wait"]


@pytest.mark.parametrize(("held_up", "edges"), [(30 * US, 1), (4 * MS, 1), (15 * MS, 2)])
def test_a_hold_up_on_the_way_out_of_a_wait_is_not_what_was_waited_for(builder, held_up, edges):
    """After a wait of 50 ms the thread is held up for microseconds, for a few ms in a crowd, or long enough for a
    second wait."""
    blocks = [("running", 10 * MS), ("blocked", 50 * MS), ("running", 20 * US), ("blocked", held_up)]
    builder.item(0, 0, 100 * MS, 200, [*blocks, ("running", 40 * MS - 20 * US - held_up)])
    out = 60 * MS + 20 * US + held_up
    other(other(builder), 202).wakeup(60 * MS, 201, 200).wakeup(out, 202, 200)
    builder.wait(200, 10 * MS - US, out + 10 * US)
    assert [(e[0], e[2]) for e in causal(builder).edges()] == [(1, 0), (2, 0)][:edges]


def test_a_suspension_is_no_edge(builder):
    other(waiter(builder)).wakeup(60 * MS, 201, 200).suspension(9 * MS, 60 * MS)
    found = causal(builder)
    assert found.edges() == []
    # The time from 9 to 10 ms ran inside the suspension, so it is no demand either.
    assert found.program(0) == [("CPU", 49)]


class TestHandovers:
    """The last arriver at a barrier wakes one item, which wakes the next: all wait for the last arriver alone."""

    def chain(self, builder, busy):
        """Builds item 2, which wakes item 0, which wakes item 1 after `busy` ns, all on one handle."""
        builder.item(0, 0, 200 * MS, 200, [("running", MS), ("blocked", 59 * MS), ("running", 140 * MS)])
        last = 140 * MS - busy
        builder.item(0, 0, 200 * MS, 201, [("running", MS), ("blocked", 59 * MS + busy), ("running", last)])
        other(builder, 202)
        builder.wait(200, MS - US, 60 * MS + US).wait(201, MS - US, 60 * MS + busy + US)
        builder.wakeup(60 * MS, 202, 200).wakeup(60 * MS + busy, 200, 201)
        return causal(builder)

    def test_a_wake_up_that_is_only_handed_on_goes_back_to_where_it_began(self, builder):
        found = self.chain(builder, 100 * US)
        assert [(e[0], e[1], e[2]) for e in found.edges()] == [(2, 60, 0), (2, 60, 1)]
        assert "MARK" not in [op for op, _ in found.program(0)]

    def test_who_did_something_with_what_it_got_is_waited_for(self, builder):
        assert [(e[0], e[2]) for e in self.chain(builder, 10 * MS).edges()] == [(0, 1), (2, 0)]

    def test_of_waits_that_no_event_names_none_is_known_to_be_the_same(self, builder):
        self.chain(builder, 100 * US)
        builder.rows["waits"].clear()
        assert [(e[0], e[2]) for e in causal(builder).edges()] == [(0, 1), (2, 0)]

    def test_so_is_who_was_woken_from_another_wait(self, builder):
        builder.item(0, 0, 200 * MS, 200, [("running", MS), ("blocked", 59 * MS), ("running", 140 * MS)])
        builder.item(0, 0, 200 * MS, 201, [("running", MS), ("blocked", 59 * MS + US), ("running", 140 * MS - US)])
        other(builder, 202)
        builder.wait(200, MS - US, 60 * MS + US).wait(201, MS - US, 60 * MS + 2 * US)
        builder.rows["waits"][1]["object"] = 7
        builder.wakeup(60 * MS, 202, 200).wakeup(60 * MS + US, 200, 201)
        assert [(e[0], e[2]) for e in causal(builder).edges()] == [(0, 1), (2, 0)]


class TestTasks:
    @pytest.mark.parametrize("task", [0, 1, 2**31 - 1])
    def test_a_synchronous_wait_for_a_task_is_one_whatever_its_id(self, builder, task):
        other(waiter(builder)).wakeup(60 * MS, 201, 200).wait(200, 10 * MS - US, 60 * MS)
        builder.task_wait(200, 10 * MS - 2 * US, task=task)
        found = causal(builder)
        assert found.program(0) == [("CPU", 10), ("TASK_WAIT", 0), ("CPU", 40)]
        assert found.edges() == [(1, 60, 0, 60, "task", "wakeup")]

    @pytest.mark.parametrize("trap", ["asynchronous", "earlier wait", "other thread"])
    def test_what_says_something_else_is_none(self, builder, trap):
        other(waiter(builder)).wakeup(60 * MS, 201, 200).wait(200, 10 * MS - US, 60 * MS)
        if trap == "earlier wait":
            builder.task_wait(200, 2 * MS).wait(200, 3 * MS, 4 * MS)
        else:
            kind = "asynchronous" if trap == "asynchronous" else "synchronous"
            builder.task_wait(200 if trap == "asynchronous" else 201, 10 * MS - 2 * US, behavior=kind)
        assert causal(builder).edges() == [(1, 60, 0, 60, "wait", "wakeup")]

    def test_one_that_something_outside_ended_keeps_its_duration_and_is_one_all_the_same(self, builder):
        waiter(builder).wakeup(60 * MS, 999, 200).wait(200, 10 * MS - US, 60 * MS).task_wait(200, 10 * MS - 2 * US)
        found = causal(builder)
        assert found.program(0) == [("CPU", 10), ("TASK_BLOCKED", 50), ("CPU", 40)]
        assert found.workload.demand.tolist() == [100 * MS]

    def without_wakeups(self, tmp_path, completed, waits=True):
        builder = CaptureBuilder(tmp_path, length=1000 * MS, tier="switch")
        other(waiter(builder)).task_wait(200, 10 * MS - 2 * US, task=5)
        if waits:
            builder.wait(200, 10 * MS - US, 60 * MS)
        builder.rows["tasks"].append(
            {"task_id": 5, "scheduled": 0, "started": MS, "completed": completed, "started_tid": 201}
        )
        return causal(builder)

    @pytest.mark.parametrize("waits", [True, False], ids=["wait-events", "net8"])
    def test_without_wake_ups_the_tasks_events_tell(self, tmp_path, waits):
        found = self.without_wakeups(tmp_path, 59 * MS, waits)
        assert found.edges() == [(1, 59, 0, 60, "task", "task-events")]
        assert found.program(1) == [("CPU", 59), ("MARK", 0), ("CPU", 141)]

    def test_a_task_that_ended_before_did_not_end_the_wait(self, tmp_path):
        assert self.without_wakeups(tmp_path, 9 * MS).edges() == []


class TestResponses:
    """An item waits for a response; the runtime's socket thread queues the item that brings it."""

    def response(self, builder):
        waiter(builder)
        builder.thread(300, 100, ".NET Sockets")
        builder.item(40 * MS, 50 * MS, 80 * MS, 201, [("running", 30 * MS)], enqueue_tid=300)
        return builder.wakeup(60 * MS, 201, 200)

    def test_it_comes_so_long_after_the_wait_began_as_it_did_whenever_that_is(self, builder):
        found = causal(self.response(builder))
        assert found.program(0) == [("CPU", 10), ("BLOCKED", 30), ("ENQUEUE", 1), ("WAIT", 0), ("CPU", 40)]
        assert found.program(1) == [("CPU", 10), ("MARK", 0), ("CPU", 20)]
        assert found.edges() == [(0, 40, 1, 0, "completion", "inferred"), (1, 10, 0, 60, "wait", "wakeup")]

    def test_the_engine_queueing_itself_again_comes_along(self, builder):
        self.response(builder).rows["work_items"][1]["work_id"] = 9
        builder.item(51 * MS, 80 * MS, 81 * MS, 201, [("running", MS)], enqueue_tid=201, parent=1, work_id=9)
        assert [e[4] for e in causal(builder).edges()] == ["completion", "arrival", "wait"]

    def test_one_that_brought_others_too_would_move_them_as_well_so_the_wait_keeps_its_duration(self, builder):
        self.response(builder)
        builder.item(51 * MS, 80 * MS, 81 * MS, 201, [("running", MS)], enqueue_tid=201, parent=1, work_id=9)
        found = causal(builder)
        assert [e[4] for e in found.edges()] == ["arrival"]
        assert found.program(0) == [("CPU", 10), ("BLOCKED", 50), ("CPU", 40)]

    def test_so_does_one_that_ended_two_waits(self, builder):
        self.response(builder)
        waiter(builder, worker=202).wakeup(60 * MS, 201, 202)
        assert causal(builder).edges() == []

    def test_a_producer_that_is_no_response_keeps_its_time(self, builder):
        self.response(builder)
        builder.rows["threads"][0]["name"] = "producer"
        found = causal(builder)
        assert found.edges() == [(1, 10, 0, 60, "wait", "wakeup")]
        assert found.workload.arrival.tolist() == [0, 40 * MS]

    @pytest.mark.parametrize(
        ("queued", "kinds"), [(5 * MS, ["wait"]), (10 * MS, ["wait"]), (10 * MS + 1, ["completion", "wait"])]
    )
    def test_one_that_was_queued_before_the_wait_began_is_no_response_to_it(self, builder, queued, kinds):
        self.response(builder)
        builder.rows["work_items"][1]["enqueue"] = queued
        assert [e[4] for e in causal(builder).edges()] == kinds


def test_of_two_waits_of_one_item_each_is_told_by_its_own_event(builder):
    """20 ms each: too short to count as waits of the code without an event."""
    blocks = [("running", 10 * MS), ("blocked", 20 * MS)] * 2
    builder.item(0, 0, 100 * MS, 200, [*blocks, ("running", 40 * MS)])
    other(builder).wakeup(30 * MS, 201, 200).wakeup(60 * MS, 201, 200)
    builder.wait(200, 10 * MS - US, 30 * MS).wait(200, 40 * MS - US, 60 * MS)
    assert causal(builder).edges() == [(1, 30, 0, 30, "wait", "wakeup"), (1, 60, 0, 60, "wait", "wakeup")]


@pytest.mark.parametrize(("begins", "kind"), [(5 * MS, "task"), (5 * MS + 1, "wait")])
def test_an_item_may_begin_with_a_wait_for_a_task_which_no_item_before_it_has_said(builder, begins, kind):
    """The announcement comes at 5 ms, as the item begins or 1 ns before."""
    builder.item(0, begins, 100 * MS, 200, [("blocked", 60 * MS - begins), ("running", 40 * MS)])
    other(builder).wakeup(60 * MS, 201, 200).wait(200, 5 * MS + 1, 60 * MS).task_wait(200, 5 * MS)
    assert [e[4] for e in causal(builder).edges()] == [kind]


@pytest.mark.parametrize(("ends", "edges"), [(19, 0), (20, 1), (30, 1), (None, 1)])
def test_a_wait_event_tells_of_a_stretch_of_which_it_covers_half(builder, ends, edges):
    """A stretch of 20 ms is too short to count as a wait of the code without an event. One event has no end."""
    other(waiter(builder, blocked=(10, 30))).wakeup(30 * MS, 201, 200)
    builder.as_given = True
    builder.wait(200, 10 * MS, -1 if ends is None else ends * MS)
    assert len(causal(builder).edges()) == edges


@pytest.mark.parametrize(("begins", "cause"), [(60 * MS, 1), (60 * MS - 1, 2)])
def test_who_woke_is_the_item_that_had_begun_before_that_moment(builder, begins, cause):
    """Another item follows on the waking thread, at that very time or 1 ns before it."""
    waiter(builder).wakeup(60 * MS, 201, 200)
    builder.item(0, 0, begins, 201, [("running", begins)])
    builder.item(0, begins, 90 * MS, 201, [("running", 90 * MS - begins)])
    assert [e[0] for e in causal(builder).edges()] == [cause]


def test_what_an_item_before_it_waited_for_is_no_way_out_of_a_wait(builder):
    """The second item is held up for 4 ms on its way out of its own wait; the first item's block does not matter for
    it."""
    builder.item(0, 0, 100 * MS, 203, [("running", MS), ("blocked", 5 * MS), ("running", 94 * MS)])
    blocks = [("running", 10 * MS), ("blocked", 50 * MS), ("running", 20 * US), ("blocked", 4 * MS)]
    builder.item(0, 0, 100 * MS, 200, [*blocks, ("running", 36 * MS - 20 * US)])
    out = 64 * MS + 20 * US
    other(other(builder), 202).wakeup(60 * MS, 201, 200).wakeup(out, 202, 200)
    builder.wait(200, 10 * MS - US, out + 10 * US)
    assert [(e[0], e[2]) for e in causal(builder).edges()] == [(2, 1)]
