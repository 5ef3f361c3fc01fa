"""Bounds of the mean wait from the runtime's counters, against queues with known waits."""

import numpy as np
import pandas as pd
import pytest
from poolscope.measures.counted_waits import WaitBounds, intervals, longest_stall, wait_bounds

S = 1_000_000_000
START = 7 * S


def simulated(seed, *, rate, service, threads, length, bunch=1, step=1.0):
    """Simulates a pool of `threads` with items that arrive at random, up to `bunch` at once. Returns the waits (s) of
    all items that began, and the counters' readings every `step` seconds."""
    rng = np.random.default_rng(seed)
    came = np.cumsum(rng.exponential(bunch / rate, int(rate * length / bunch)))
    came = np.repeat(came, rng.integers(1, 2 * bunch, len(came)))
    free = np.zeros(threads)
    began, ended = np.empty(len(came)), np.empty(len(came))
    for at, time in enumerate(came):
        thread = int(free.argmin())
        began[at] = max(time, free[thread])
        ended[at] = free[thread] = began[at] + rng.exponential(service)
    reads = np.arange(0.0, length, step)
    queued = [int((came <= t).sum() - (began <= t).sum()) for t in reads]
    done = [int((ended <= t).sum()) for t in reads]
    rows = pd.DataFrame(
        {
            "time": (reads * S).astype(np.int64) + START,
            "since": (np.maximum(reads - step, 0) * S).astype(np.int64) + START,
            "queue_length": queued,
            "completed": np.diff(done, prepend=0),
            "threads": threads,
        }
    )
    inside = began <= reads[-1]
    return (began - came)[inside], rows


def rows(queue, completed, threads=4, step=1):
    time = START + np.arange(len(queue)) * step * S
    return pd.DataFrame(
        {"time": time, "since": time - step * S, "queue_length": queue, "completed": completed, "threads": threads}
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "load",
    [
        {"rate": 40, "service": 0.09, "threads": 4},
        {"rate": 400, "service": 0.009, "threads": 4, "bunch": 50},
        {"rate": 300, "service": 0.01, "threads": 8},
        {"rate": 50, "service": 1.0, "threads": 60, "bunch": 20},
    ],
    ids=str,
)
def test_the_mean_wait_of_a_steady_queue_is_within_the_bounds(seed, load):
    waits, counters = simulated(seed, length=120, **load)
    bounds = wait_bounds(intervals(counters, START))
    if isinstance(bounds, WaitBounds):
        assert bounds.least <= 1000 * waits.mean() <= bounds.most
        assert bounds.most - bounds.least < 2500  # the readings are a second apart
    else:
        assert bounds == "not_steady"


def test_most_simulated_queues_are_steady_enough_for_bounds():
    loads = [simulated(seed, rate=40, service=0.09, threads=4, length=120)[1] for seed in range(20)]
    assert sum(isinstance(wait_bounds(intervals(rows, START)), WaitBounds) for rows in loads) >= 15


def test_a_long_queue_that_stands_is_bounded_closely():
    # 500 wait and 100 leave each second: each waits 5 s, within about a second.
    bounds = wait_bounds(intervals(rows([500] * 20, [100] * 20), START))
    assert isinstance(bounds, WaitBounds)
    assert 3800 < bounds.least < 5000 < bounds.most < 6200


def test_between_the_readings_a_queue_may_have_been_as_long_as_what_left_it():
    bounds = wait_bounds(intervals(rows([0] * 10, [1000] * 10), START))
    assert isinstance(bounds, WaitBounds)
    assert (bounds.least, bounds.most) == (0.0, pytest.approx(1001, rel=0.01))


@pytest.mark.parametrize(
    ("counters", "why"),
    [
        (rows([5, 5, 5], [100, 100, 100]), "few_readings"),
        (rows([5] * 9, [100] * 9, threads=-1), "not_told"),
        (rows([5] * 9, [2] * 9), "few_items"),
        (rows([5] * 9, [20] * 9, threads=300), "few_items"),
        (rows(range(0, 900, 100), [100] * 9), "not_steady"),
        (rows([5000] * 9, [100] * 9), "longer_than_recording"),
        (rows([-1] * 9, [100] * 9), "few_readings"),
        (rows([5] * 9, [-1] * 9), "few_readings"),
    ],
)
def test_without_enough_to_go_by_there_are_no_bounds(counters, why):
    assert wait_bounds(intervals(counters, START)) == why


def test_a_reading_that_was_lost_takes_its_interval_with_it():
    counters = rows([5] * 9, [100] * 9).drop(index=4)
    read = intervals(counters, START)
    assert list(read.start) == [0, 1, 2, 5, 6, 7] and list(read.end) == [1, 2, 3, 6, 7, 8]


def test_a_standstill_is_when_no_item_ended_while_some_were_queued():
    read = intervals(rows([0, 9, 40, 50, 60, 0, 9, 9], [5, 5, 0, 0, 0, 70, 0, 0]), START)
    stall = longest_stall(read)
    assert stall is not None and (stall.from_s, stall.to_s, stall.queued) == (1, 4, 9)
    assert longest_stall(intervals(rows([9, 9], [1, 1]), START)) is None
    assert longest_stall(intervals(rows([0, 0, 0], [0, 0, 0]), START)) is None
