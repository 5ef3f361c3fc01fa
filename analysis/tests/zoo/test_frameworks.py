"""The zoo runs on the versions of .NET that the product lists as tested."""

import zoo_runs
from poolscope.base.runtimes import TESTED
from zoo.case import FRAMEWORKS


def test_the_build_publishes_what_the_zoo_runs_on():
    assert zoo_runs.FRAMEWORKS == FRAMEWORKS
    assert FRAMEWORKS[0] == "net10.0", "recorded three times"
    assert set(FRAMEWORKS) == {f"net{version}.0" for version in TESTED}
