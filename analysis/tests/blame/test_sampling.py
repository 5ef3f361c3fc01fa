"""Blocked time that nothing tells of, estimated from snapshots at random moments."""

import numpy as np
import pytest
from poolscope.blame.sampling import LEAST_SNAPSHOTS, distinct, estimate, miss_probability

MS = 1_000_000
BEAT = 1_000 * MS
SHORT, LONG = 0, 1


def moments(rng, beats):
    """As SnapshotRecorder draws them."""
    return np.cumsum(BEAT * np.append(rng.random(), 0.5 + rng.random(beats))).astype(np.int64)[:beats]


def one_thread(rng, beats, lengths):
    """A thread that is always blocked, in stretches of either length in turn, and its snapshots."""
    cycles = beats * BEAT // sum(lengths) + 1
    group = np.tile([SHORT, LONG], cycles)
    offset = rng.integers(0, sum(lengths))
    end = np.cumsum(np.array(lengths)[group]) - offset
    start = end - np.array(lengths)[group]
    inside = (start >= 0) & (end <= beats * BEAT)
    start, end, group = start[inside], end[inside], group[inside]
    time = moments(rng, beats)
    sampled = np.full(len(start), -1)
    at = np.searchsorted(start, time, side="right") - 1
    ok = (at >= 0) & (time < end[at])
    sampled[at[ok]] = time[ok]
    return {"time": time, "start": start, "end": end, "held": end - start, "sampled": sampled, "group": group}


def test_the_probability_of_being_missed_is_that_of_the_sampling():
    rng = np.random.default_rng(1)
    time = moments(rng, 40_000)
    for beats in (0.1, 0.5, 0.9, 1.0, 1.3):
        start = rng.random(20_000) * 39_000 * BEAT
        missed = np.searchsorted(time, start) == np.searchsorted(time, start + beats * BEAT)
        assert miss_probability(np.array([beats]))[0] == pytest.approx(missed.mean(), abs=0.01)
    assert miss_probability(np.array([1.5, 5.0])).tolist() == [0, 0]


def test_the_estimate_is_unbiased_though_long_stretches_are_hit_more_often_and_its_interval_holds():
    # What is missed is mostly short stretches: the shares of those that were hit would say the opposite.
    rng = np.random.default_rng(2)
    wrong, within = [], 0
    for _ in range(100):
        run = one_thread(rng, 200, (100 * MS, 900 * MS))
        missed = run["sampled"] < 0
        true = float(run["held"][missed & (run["group"] == SHORT)].sum())
        found = estimate(**run, groups=2)
        assert found.held.sum() <= run["held"][missed].sum() + 1
        wrong.append(found.held[SHORT] / true - 1)
        within += abs(found.held[SHORT] - true) <= found.error[SHORT]
    assert abs(np.mean(wrong)) <= 0.1
    assert within >= 90


def test_what_all_snapshots_agree_on_still_has_the_error_of_what_they_may_not_have_seen():
    run = one_thread(np.random.default_rng(3), 50, (500 * MS, 500 * MS))
    run["group"][:] = 0
    found = estimate(**run, groups=1)
    missed = run["held"][run["sampled"] < 0].sum()
    assert found.held[0] == pytest.approx(missed, rel=0.05)
    assert found.error[0] >= (1 - 0.05 ** (1 / found.snapshots)) * run["held"].sum() * 0.99


def test_too_few_snapshots_estimate_nothing():
    assert estimate(**one_thread(np.random.default_rng(4), LEAST_SNAPSHOTS - 1, (500 * MS, 500 * MS)), groups=2) is None


def test_a_beat_that_may_be_in_step_with_the_items_estimates_nothing():
    run = one_thread(np.random.default_rng(5), 100, (500 * MS, 500 * MS))
    run["time"] = np.arange(100) * BEAT
    assert estimate(**run, groups=2) is None


def test_what_snapshots_hardly_account_for_stays_unknown():
    # A thousand seconds of blocks that are too short to be hit so often: the hits stand for a few per cent of them.
    run = one_thread(np.random.default_rng(6), 50, (500 * MS, 500 * MS))
    tiny = 1_000_000
    for name, value in {"start": 0, "end": MS, "held": MS, "sampled": -1, "group": 0}.items():
        run[name] = np.concatenate((run[name], np.full(tiny, value)))
    found = estimate(**run, groups=2)
    assert found.held.sum() <= 100 * BEAT


def test_threads_of_one_snapshot_are_one_sample():
    assert distinct(np.array([2 * MS, 0, MS, 900 * MS, 901 * MS])).tolist() == [0, 900 * MS]
