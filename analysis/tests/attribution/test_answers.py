"""A starved process that is its own client: it sends late, so the answer comes late. Times are ms."""

import numpy as np
import pytest
from causal import causal
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed
from synthetic import MS, CaptureBuilder

FREE = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)
SOCKETS, ENGINE = 150, 7
CLIENT, SENDER, READER = 3, 5, 7
"""Rows: three earlier items of the engine, the client, the engine, the item it hands on, the engine again, and the item
that this one hands on."""


@pytest.fixture
def builder(tmp_path):
    made = CaptureBuilder(tmp_path, length=4000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    for k in range(3):
        made.item((k + 1) * MS, (k + 1) * MS, (k + 1) * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
    return made


def run(builder, enqueue, dequeue, end, worker, by=SOCKETS, work_id=ENGINE, parent=-1, states=None):
    states = states or [("running", end - dequeue)]
    return builder.item(
        enqueue * MS,
        dequeue * MS,
        end * MS,
        worker,
        [(name, length * MS) for name, length in states],
        enqueue_tid=by,
        work_id=work_id,
        parent=parent,
    )


def starved_client(builder, inline, connects=True, also=()):
    """Builds a client that asks for a connection at 11, which is ready at 12. The engine's item that reports it waits
    until 2000 for a thread, so the request is sent at 2003 and answered at 3003. The engine's next item waits until
    3100, and the client goes on at 3110.

    If `inline`, the engine's item reads the answer itself; otherwise it hands on an item that does.
    """
    run(builder, 10, 10, 3111, 200, 100, 50, states=[("running", 3), ("blocked", 3097), ("running", 1)])
    run(builder, 12, 2000, 2002, 201)
    run(builder, 2001, 2002, 2004, 202, by=201, work_id=51, parent=4)
    run(builder, 3003, 3100, 3111, 203)
    if not inline:
        run(builder, 3102, 3103, 3111, 204, by=203, work_id=52, parent=6)
    reads = 203 if inline else 204
    begins = [(11, "connecting", 0, 200), (12, "connected", 0)] if connects else []
    rest = [(2003, "sent", 41, 202), *also, (3003, "arrived", 88), (3104, "read", 88, reads)]
    builder.connection(*((t * MS, *what) for t, *what in begins + rest), role="connected")
    builder.wakeup(3110 * MS, reads, 200)
    return causal(builder)


@pytest.mark.parametrize("inline", [True, False])
def test_an_answer_comes_so_long_after_its_request_in_every_world(builder, inline):
    found = starved_client(builder, inline)
    free = simulate(found.workload, FREE)
    # 2 ms up to the connection, 1 ms for the engine, 1 ms for the sender, 1,000 ms for the answer, 7 to 10 ms to read
    # it.
    assert free.end[CLIENT] / MS == pytest.approx(1024, abs=4)
    assert free.arrival[SENDER] / MS == pytest.approx(13, abs=1)
    assert found.causes.answers.took.max() == 1000 * MS


@pytest.mark.parametrize("inline", [True, False])
def test_the_capture_replayed_is_the_capture(builder, inline):
    found = starved_client(builder, inline)
    one_at_a_time = Steps(np.array([0, 2000, 3100]) * float(MS), np.array([1.0, 8, 8]))
    as_is = simulate(found.workload, World.constant(Allowed(one_at_a_time), cores=np.inf))
    assert as_is.arrival[SENDER] / MS == pytest.approx(2001, abs=1)
    assert as_is.end[CLIENT] / MS == pytest.approx(3013, abs=15), "but for the engine's second wait"


@pytest.mark.parametrize("inline", [True, False])
def test_a_sender_that_nothing_leads_to_says_nothing_of_the_answer(builder, inline):
    """If the capture has no attempt to connect, nothing shows why the engine handed on the sender."""
    free = simulate(starved_client(builder, inline, connects=False).workload, FREE)
    assert free.end[CLIENT] >= 3000 * MS


@pytest.mark.parametrize("inline", [True, False])
def test_a_connection_that_requests_share_tells_nobodys_answer(builder, inline):
    builder.item(5 * MS, 2400 * MS, 2402 * MS, 206, [("running", 2 * MS)], work_id=60)
    builder.rows["work_items"][0] = builder.rows["work_items"].pop()  # the rows that the tests name keep their numbers
    free = simulate(starved_client(builder, inline, also=[(2401, "sent", 41, 206)]).workload, FREE)
    assert free.end[CLIENT] >= 2000 * MS


def test_what_comes_from_outside_keeps_the_time_of_the_wire(builder):
    """The engine hands on three requests from clients' connections at 600; it had waited since 100."""
    run(builder, 100, 600, 610, 201)
    for k, came in enumerate((100, 130, 570)):
        run(builder, 601 + k, 605, 608, 210 + k, by=201, work_id=70 + k, parent=3)
        builder.connection((came * MS, "arrived", 9), (606 * MS, "read", 9, 210 + k))
    found = causal(builder)
    assert (found.causes.not_before[4:] / MS).tolist() == [100, 130, 570]
    assert len(found.causes.answers.to) == 0
    assert (simulate(found.workload, FREE).arrival[4:] / MS).tolist() == pytest.approx([101, 130, 570], abs=2)
