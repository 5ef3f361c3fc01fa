"""From a setting to a simulated pool: the limit that gives way, the policy, and the random parts."""

from dataclasses import replace

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay.policies import Dedicated, Fixed, Instant, Net, Net4x, Net11, Net35, Rotor
from poolscope.whatif.setting import Captured, Setting, is_random, limits, make_policy

MINIMUM = Steps(np.array([0.0, 100.0]), np.array([4.0, 30.0]))
MAXIMUM = Steps(np.array([0.0, 50.0]), np.array([20.0, 40.0]))
CAPTURED = Captured(
    policy="net",
    min_threads=4,
    max_threads=40,
    min_follows_cores=True,
    minimum_over_time=MINIMUM,
    maximum_over_time=MAXIMUM,
    processors=4,
    core_count=4.0,
    cores=Steps.constant(4.0),
    suspension=Steps.constant(0.0),
    competitors=Steps.constant(0.0),
    new_thread_ns=150e3,
    peak_busy=9,
    peak_threads=11,
)
TIMES = (0.0, 60.0, 150.0)


def made_of(setting, captured=CAPTURED):
    """Returns the policy untyped, because each has fields of its own."""
    return make_policy(setting, captured)


def at_times(pair):
    return [[float(limit.at(t)) for t in TIMES] for limit in pair]


def test_limits_that_the_setting_leaves_open_are_as_captured():
    assert at_times(limits(Setting("x"), CAPTURED)) == [[4, 4, 30], [20, 40, 40]]


def test_the_captured_limit_gives_way_to_the_one_that_is_set():
    assert at_times(limits(Setting("x", min_threads=25), CAPTURED)) == [[25, 25, 25], [25, 40, 40]]
    assert at_times(limits(Setting("x", max_threads=10), CAPTURED)) == [[4, 4, 10], [10, 10, 10]]
    assert at_times(limits(Setting("x", min_threads=5, max_threads=6), CAPTURED)) == [[5, 5, 5], [6, 6, 6]]


def test_a_default_minimum_follows_the_cores_and_one_that_was_set_does_not():
    assert at_times(limits(Setting("x", cores=2.5), CAPTURED))[0] == [3, 3, 3]
    assert at_times(limits(Setting("x", cores=64.0), CAPTURED))[0] == [20, 40, 40]
    own = replace(CAPTURED, min_follows_cores=False)
    assert at_times(limits(Setting("x", cores=2.5), own))[0] == [4, 4, 30]
    assert [CAPTURED.minimum(c) for c in (None, 0.5, 2.0, 2.1, 99.0)] == [4, 1, 2, 3, 40]
    assert own.minimum(8.0) == 4


def test_every_name_is_its_pool():
    made = {n: made_of(Setting("x", policy=n)) for n in ("net", "net4x", "net11", "net35", "rotor")}
    assert [type(p) for p in made.values()] == [Net, Net4x, Net11, Net35, Rotor]
    assert made["net"].processors == made["rotor"].processors == 4
    assert made_of(Setting("x", cores=2.5)).processors == 3
    assert isinstance(make_policy(Setting("x", dedicated=True), CAPTURED), Dedicated)
    assert make_policy(Setting("x", policy="instant"), CAPTURED) == Instant(40, True)


@pytest.mark.parametrize("name", ["net", "net4x", "net11", "rotor", "instant", "fixed"])
def test_async_holds_no_thread(name):
    assert make_policy(Setting("x", policy=name), CAPTURED).holding
    assert not make_policy(Setting("x", policy=name, asynchronous=True), CAPTURED).holding


def test_another_pool_keeps_its_own_maximum_where_that_is_lower_and_the_captured_one_does_not():
    one = replace(CAPTURED, processors=1)  # .NET 1.1 has 25 threads for each processor
    assert made_of(Setting("x", policy="net11"), one).max_threads == 25
    assert made_of(Setting("x", policy="net11", max_threads=33), one).max_threads == 33
    assert made_of(Setting("x"), replace(one, policy="net11")).max_threads == 40
    assert made_of(Setting("x", policy="net35"), one).max_threads == 40
    assert made_of(Setting("x", policy="net11"), one).min_threads == 25, "a minimum never lies above the maximum"


def test_a_fixed_pool_has_as_many_threads_as_is_said_or_as_it_had():
    fixed = replace(CAPTURED, policy="fixed")
    assert make_policy(Setting("x"), fixed) == Fixed(40, True)
    assert make_policy(Setting("x", policy="fixed"), CAPTURED) == Fixed(4, True)
    assert make_policy(Setting("x", policy="fixed", min_threads=7), CAPTURED) == Fixed(7, True)
    assert make_policy(Setting("x", policy="fixed", max_threads=8), CAPTURED) == Fixed(8, True)


def test_what_is_left_to_chance():
    assert is_random(Setting("x"), CAPTURED)
    assert is_random(Setting("x", policy="rotor"), CAPTURED)
    for setting in (Setting("x", dedicated=True), Setting("x", policy="fixed"), Setting("x", policy="instant")):
        assert not is_random(setting, CAPTURED)
        assert is_random(replace(setting, load=2.0), CAPTURED), "which arrivals are repeated is drawn"
    assert not is_random(Setting("x"), replace(CAPTURED, policy="fixed"))
