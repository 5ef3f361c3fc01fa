"""Blocked time that no event explains, estimated from snapshots at random times."""

import numpy as np
import pytest
from poolscope.blame.sampling import Beat, effective, estimate, kish, miss_probability, most_expected, share_interval

MS = 1_000_000
BEAT = 1_000 * MS
SHORT, LONG = 0, 1


def moments(rng, beats):
    """Draws times like SnapshotRecorder."""
    return np.cumsum(BEAT * np.append(rng.random(), 0.5 + rng.random(beats))).astype(np.int64)[:beats]


def one_thread(rng, beats, lengths):
    """Returns an always blocked thread, whose stretches alternate between the two lengths, and its snapshots."""
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
    return {"beat": Beat.of(time), "start": start, "end": end, "held": end - start, "sampled": sampled, "group": group}


def test_the_probability_of_being_missed_is_that_of_the_sampling():
    rng = np.random.default_rng(1)
    time = moments(rng, 40_000)
    for beats in (0.1, 0.5, 0.9, 1.0, 1.3):
        start = rng.random(20_000) * 39_000 * BEAT
        missed = np.searchsorted(time, start) == np.searchsorted(time, start + beats * BEAT)
        assert miss_probability(np.array([beats]))[0] == pytest.approx(missed.mean(), abs=0.01)
    assert miss_probability(np.array([1.5, 5.0])).tolist() == [0, 0]


@pytest.mark.parametrize("beats", [8, 30, 200])
def test_the_estimate_is_unbiased_though_long_stretches_are_hit_more_often_and_its_interval_holds(beats):
    # Snapshots miss mostly short stretches, so the shares among the stretches hit are biased towards long ones.
    rng = np.random.default_rng(2)
    wrong, within = [], 0
    for _ in range(100):
        run = one_thread(rng, beats, (100 * MS, 900 * MS))
        missed = run["sampled"] < 0
        true = float(run["held"][missed & (run["group"] == SHORT)].sum())
        found = estimate(**run, groups=2)
        if found is None:
            within += 1
            continue
        assert found.held.sum() <= run["held"][missed].sum() + 1
        wrong.append(found.held[SHORT] / true - 1)
        within += found.low[SHORT] - 1 <= true <= found.high[SHORT] + 1
    assert abs(np.mean(wrong)) <= (0.1 if beats >= 30 else 0.2)
    assert within >= 90


def test_a_beat_that_changes_does_not_bias_the_estimate():
    # Sleeps last 100 ms while the beat is fast and 300 ms while it is slow, so the former are hit far more often.
    rng = np.random.default_rng(7)
    fast, slow, switch, length = 200 * MS, 2_000 * MS, 20_000 * MS, 220_000 * MS
    shares = []
    for _ in range(60):
        gap = np.append(np.full(200, fast), np.full(200, slow))
        time = np.cumsum(gap * (0.5 + rng.random(len(gap)))).astype(np.int64)
        moved = int(np.argmax(time > switch))
        gap = np.append(gap[:moved], np.full(200, slow))
        time = np.append(time[:moved], time[moved - 1] + np.cumsum(slow * (0.5 + rng.random(200)))).astype(np.int64)
        kept = time < length
        beat = Beat.of(time[kept], np.append(gap[1:], slow)[kept])
        edges = np.append(np.arange(0, switch, 100 * MS), np.arange(switch, length, 300 * MS))
        start, end = edges[:-1], edges[1:]
        group = (start >= switch).astype(int)
        at = np.searchsorted(start, beat.taken, side="right") - 1
        sampled = np.full(len(start), -1)
        sampled[at] = beat.taken
        found = estimate(beat=beat, start=start, end=end, held=end - start, sampled=sampled, group=group, groups=2)
        missed = (end - start) * (sampled < 0)
        true = missed[group == 0].sum() / missed.sum()
        shares.append(found.held[0] / found.held.sum() / true)
    assert np.mean(shares) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("beats", [3, 12, 50])
def test_what_all_snapshots_agree_on_is_as_wide_as_their_number_makes_it(beats):
    run = one_thread(np.random.default_rng(3), beats, (500 * MS, 500 * MS))
    run["group"][:] = 0
    found = estimate(**run, groups=1)
    whole = run["held"].sum()
    hit = run["held"][run["sampled"] >= 0].sum()
    assert found.low[0] + hit == pytest.approx(max(0.05 ** (1 / found.snapshots) * whole, hit), rel=0.1)
    assert found.unseen == pytest.approx(min((1 - 0.05 ** (1 / found.snapshots)) * whole, whole - hit), rel=0.15)


def test_the_threads_of_a_snapshot_are_one_observation():
    one = one_thread(np.random.default_rng(4), 12, (10 * MS, 10 * MS))
    one["group"][:] = 0
    ten = {name: np.tile(value, 10) for name, value in one.items() if name != "beat"} | {"beat": one["beat"]}
    low, lows = (estimate(**run, groups=1) for run in (one, ten))
    assert low.snapshots == lows.snapshots
    assert lows.low[0] / lows.held[0] == pytest.approx(low.low[0] / low.held[0], abs=0.02)


def test_one_snapshot_estimates_nothing_unless_its_gap_is_known():
    run = one_thread(np.random.default_rng(5), 1, (500 * MS, 500 * MS))
    assert estimate(**run, groups=2) is None
    run["beat"] = Beat.of(run["beat"].taken, np.array([BEAT]))
    run |= {
        name: np.append(run[name], [0, 500 * MS, 500 * MS, -1, 0][i])
        for i, name in enumerate(("start", "end", "held", "sampled", "group"))
    }
    found = estimate(**run, groups=2)
    assert found is None or found.snapshots == 1 and found.low.max() <= 0.06 * 1000 * MS


def test_a_beat_that_may_be_in_step_with_the_items_estimates_nothing():
    run = one_thread(np.random.default_rng(5), 100, (500 * MS, 500 * MS))
    run["beat"] = Beat.of(np.arange(100) * BEAT)
    assert estimate(**run, groups=2) is None


def test_what_snapshots_hardly_account_for_stays_unknown():
    # A thousand seconds of blocks too short to be hit this often: the hits stand for a few per cent of them.
    run = one_thread(np.random.default_rng(6), 50, (500 * MS, 500 * MS))
    tiny = 1_000_000
    for name, value in {"start": 0, "end": MS, "held": MS, "sampled": -1, "group": 0}.items():
        run[name] = np.concatenate((run[name], np.full(tiny, value)))
    found = estimate(**run, groups=2)
    assert found.held.sum() <= 100 * BEAT
    assert found.unseen >= 900 * BEAT


def test_threads_of_one_snapshot_are_one_moment():
    assert Beat.of(np.array([2 * MS, 0, MS, 900 * MS, 901 * MS])).taken.tolist() == [0, 900 * MS]


def test_the_interval_is_that_of_clopper_and_pearson_and_of_one_side_where_all_agree():
    # Two-sided values from a table: 5 of 10 is 0.187 to 0.813.
    assert share_interval(0.5, 10) == pytest.approx((0.1871, 0.8129), abs=1e-4)
    assert share_interval(1.0, 71) == pytest.approx((0.05 ** (1 / 71), 1.0))
    assert share_interval(0.0, 71) == pytest.approx((0.0, 1 - 0.05 ** (1 / 71)))


def test_observations_are_never_more_than_snapshots_of_equal_weight():
    assert kish(np.array([3.0, 3.0, 3.0])) == pytest.approx(3)
    assert kish(np.array([9.0, 1.0])) < 1.3
    assert effective(0.5, 1e-9, 100, 40.0) == 40.0
    assert effective(0.5, 0.25 / 10, 100, 40.0) == pytest.approx(10, rel=0.05)
    assert effective(1.0, 0.0, 100, 40.0) == 40.0


def test_one_event_may_have_been_five_and_a_half():
    assert most_expected(1) == pytest.approx(5.572, abs=1e-3)


def test_a_snapshot_that_was_not_taken_at_random_tells_of_its_own_stretch_alone():
    run = one_thread(np.random.default_rng(8), 30, (500 * MS, 500 * MS))
    run["group"][:] = 0
    run["beat"] = Beat.of(run["beat"].taken, np.full(len(run["beat"].taken), BEAT))
    plain = estimate(**run, groups=1)
    at = int(np.flatnonzero(run["sampled"] < 0)[0])
    extra = int(run["start"][at]) + MS
    run["sampled"][at] = extra
    moments = np.append(run["beat"].taken, extra)
    run["beat"] = Beat.of(moments, np.full(len(moments), BEAT), moments != extra)
    found = estimate(**run, groups=1)
    assert found.snapshots == plain.snapshots
    assert plain.held[0] - found.held[0] == pytest.approx(run["held"][at], rel=0.01)
