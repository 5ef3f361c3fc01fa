"""The replay engine, compared with exact queueing theory: one-stretch items, c threads, first come, first served."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from poolscope.base.series import Steps
from poolscope.replay import Workload, World, simulate
from poolscope.replay.policies import Allowed

ns = st.integers(min_value=0, max_value=10**13)
short_ns = st.integers(min_value=1, max_value=10**9)


def kiefer_wolfowitz(arrival, service, servers):
    """Returns the waits by the recursion of Kiefer and Wolfowitz (1955), in exact integers."""
    workload = [0] * servers
    previous = arrival[0]
    waits = []
    for a, s in zip(arrival, service):
        workload = sorted(max(w - (a - previous), 0) for w in workload)
        previous = a
        waits.append(workload[0])
        workload[0] += s
    return waits


@settings(max_examples=200)
@given(
    gaps=st.lists(st.integers(0, 10**9), min_size=1, max_size=60),
    offset=ns,
    threads=st.integers(1, 7),
    on_cpu=st.booleans(),
    data=st.data(),
)
def test_every_item_equals_the_recursion_exactly(gaps, offset, threads, on_cpu, data):
    arrival = [offset + int(x) for x in np.cumsum(gaps)]
    service = data.draw(st.lists(short_ns, min_size=len(arrival), max_size=len(arrival)))
    workload = Workload.single_stretch(np.array(arrival, float), np.array(service, float), on_cpu)

    outcome = simulate(workload, World.constant(Allowed(Steps.constant(threads)), cores=threads))

    waits = kiefer_wolfowitz(arrival, service, threads)
    assert outcome.start.tolist() == [a + w for a, w in zip(arrival, waits)]
    assert outcome.end.tolist() == [a + w + s for a, w, s in zip(arrival, waits, service)]


@pytest.mark.parametrize("servers", [1, 2, 10])
@pytest.mark.parametrize("gap_ns, service_ns", [(10_000_000, 500_000_000), (10_000_000, 30_000_000), (10, 5)])
def test_d_d_c_by_formula(servers, gap_ns, service_ns):
    count = 1000
    number = np.arange(count)
    workload = Workload.single_stretch(number * float(gap_ns), np.full(count, float(service_ns)), on_cpu=False)

    outcome = simulate(workload, World.constant(Allowed(Steps.constant(servers)), cores=1))

    # Items go to the servers in turn, so each server is a D/D/1 queue with a gap of servers * gap.
    expected = np.maximum(0, (number // servers) * (service_ns - servers * gap_ns))
    assert (outcome.start - workload.arrival).tolist() == expected.tolist()


def erlang_c_mean_wait(arrival_rate, service_rate, servers):
    """Returns the mean wait of M/M/c by Erlang's C formula."""
    load = arrival_rate / service_rate
    blocking = 1.0
    for k in range(1, servers + 1):  # Erlang B recursion
        blocking = load * blocking / (k + load * blocking)
    waiting = blocking / (1 - load / servers * (1 - blocking))
    return waiting / (servers * service_rate - arrival_rate)


@pytest.mark.parametrize("servers", [1, 2, 4])
@pytest.mark.parametrize("utilisation", [0.3, 0.5, 0.8, 0.9])
def test_m_m_c_mean_wait(servers, utilisation):
    count = 2_000_000
    random = np.random.default_rng([servers, int(utilisation * 100)])
    service_ns = 1e6
    arrival = np.cumsum(random.exponential(service_ns / (servers * utilisation), count))
    workload = Workload.single_stretch(arrival, random.exponential(service_ns, count), on_cpu=True)

    outcome = simulate(workload, World.constant(Allowed(Steps.constant(servers)), cores=servers))

    wait = outcome.start - workload.arrival
    expected = erlang_c_mean_wait(servers * utilisation / service_ns, 1 / service_ns, servers)
    if utilisation <= 0.5:
        assert wait.mean() == pytest.approx(expected, rel=0.03)
    else:
        batches = wait[count // 10 :].reshape(20, -1).mean(axis=1)
        half_width = 2.861 * batches.std(ddof=1) / np.sqrt(len(batches))  # Student's t, 19 degrees, 99 %
        assert abs(batches.mean() - expected) <= half_width
