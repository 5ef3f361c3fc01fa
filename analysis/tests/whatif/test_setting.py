"""Contradictory settings give one clear line."""

import pytest
from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.whatif.setting import Setting, check


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        (Setting("x", min_threads=20, max_threads=10), "min threads 20 above max threads 10"),
        (Setting("x", min_threads=200), "above max threads 100, as captured"),
        (Setting("x", min_threads=0), "from 1 to 32767"),
        (Setting("x", max_threads=40_000), "from 1 to 32767"),
        (Setting("x", cores=0), "0 cores"),
        (Setting("x", cores=float("inf")), "cores"),
        (Setting("x", policy="fifo"), "unknown policy 'fifo'"),
        (Setting("x", load=0), "load 0"),
        (Setting("x", load=-1), "load -1"),
        (Setting("x", asynchronous=True, dedicated=True), "contradict"),
    ],
)
def test_contradictions(setting, says):
    with pytest.raises(PoolscopeError, match=says) as caught:
        check(setting, min_threads=4, max_threads=100)
    assert caught.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "setting",
    [
        Setting("x"),
        Setting("x", min_threads=100),
        Setting("x", max_threads=2),  # below the captured minimum, which gives way
        Setting("x", cores=0.5, load=0.1, policy="rotor"),
    ],
)
def test_settings_that_are_possible(setting):
    check(setting, min_threads=4, max_threads=100)
