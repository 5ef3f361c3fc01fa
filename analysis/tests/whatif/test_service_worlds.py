"""A web service in worlds with other settings. Times are ms."""

from dataclasses import replace

import numpy as np
import pytest
from following import MS, followed
from poolscope.attribution import attribute
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.predict import Predictor
from poolscope.whatif.captured_work import serve
from service import web_service


@pytest.fixture
def items(tmp_path):
    return attribute(web_service(tmp_path, [20] * 30).write()).items


def work(count):
    """Returns requests 10 apart that block for 5 each."""
    return Workload.in_turn(np.arange(count) * 10.0 * MS, Program.of([[(Op.BLOCKED, 5 * MS)]] * count))


def shared_sender(count):
    """Returns requests whose answers all went out with a separate item that came at 500."""
    one = followed(range(0, 10 * count, 10), range(count), [])
    together = work(count + 1)
    together.arrival[count] = 500 * MS
    last = np.arange(count)
    return together, replace(
        one,
        answered=np.full(count, 501 * MS),
        sender=np.full(count, count),
        last=last,
        apart=np.ones(count, dtype=bool),
        joined=np.ones(count, dtype=bool),
        sending=np.full(count, 1000),
        sender_end=np.full(count, 505 * MS),
        senders=np.array([count]),
        queues=1,
    )


def test_an_answer_that_went_out_with_others_has_a_sender_of_its_own_where_threads_are_free(items):
    workload, requests = shared_sender(10)
    made = serve(workload, requests, items, seed=1)
    assert made.workload.count == 21
    free = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)
    latency = made.requests.latency(simulate(made.workload, free), np.arange(21))
    assert latency == pytest.approx(np.full(10, 5 * MS + 1000)), "not at 500"


def test_senders_of_one_queue_gather_where_threads_lack(items):
    workload, requests = shared_sender(10)
    made = serve(workload, requests, items, seed=1)
    busy = World.constant(Allowed(Steps(np.array([0.0, 1e6 * MS]), np.array([1.0, 1.0]))), cores=8.0)
    one = simulate(made.workload, busy)
    hold = replace(made.workload, program=replace(made.workload.program, value=made.workload.program.value * 4))
    lacking = simulate(hold, busy)
    own = slice(11, 21)
    assert len(np.unique(one.start[own])) == 10
    assert len(np.unique(lacking.start[own])) < 10, "one sends what others left, too"


def test_the_captured_items_keep_their_places(items):
    workload, requests = shared_sender(10)
    made = serve(workload, requests, items, seed=1)
    assert (made.workload.arrival[:11] == workload.arrival).all()
    assert (np.diff(made.workload.program.first)[10] == np.diff(workload.program.first)[10]).all()


def _picked(items, order):
    """Returns those items, queued a millisecond apart and picked one after another in that order, 10 ms apart."""
    enqueue = np.arange(items.count) * MS
    dequeue = np.empty(items.count, dtype=np.int64)
    dequeue[order] = enqueue[-1] + 10 * MS * np.arange(1, items.count + 1)
    return replace(items, enqueue=enqueue, dequeue=dequeue)


@pytest.mark.parametrize(
    "order, first_come",
    [
        (lambda n: np.arange(n), True),
        (lambda n: np.arange(n)[::-1], False),
        (lambda n: np.append(np.arange(1, n), 0), True),  # one lies in the queue of a blocked worker: all overtake it
    ],
)
def test_the_order_of_arrival_holds_where_it_held_in_the_capture(items, order, first_come):
    workload, requests = shared_sender(10)
    picked = _picked(items, order(items.count))
    assert serve(workload, requests, picked, seed=1).workload.first_come is first_come


def test_where_no_request_is_predicted_the_captured_work_is_all(tmp_path):
    capture = web_service(tmp_path, [20] * 5).write()
    assert Predictor(capture, attribute(capture), 1).work._service(()) is None
