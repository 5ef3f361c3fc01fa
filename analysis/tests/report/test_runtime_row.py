"""The page's text about a runtime beside its name."""

import pytest
from poolscope.base.runtimes import TESTED, major
from poolscope.contract.analysis_json import PoolJson
from poolscope.report.sections.captured import _process_rows

POOL: PoolJson = {"min_threads": 2, "max_threads": 32767, "limits_known": "told"}
NEWER = TESTED[-1] + 1


def row(runtime):
    return dict(_process_rows({"name": "app", "pid": 7, "runtime": runtime}, POOL))["Runtime"]


@pytest.mark.parametrize(
    "runtime", [".NET 8.0.31", f".NET {TESTED[-1]}.0.0", ".NET Framework 4.8.1", ".NET Core, older than .NET 5"]
)
def test_a_tested_or_older_runtime_is_named_alone(runtime):
    assert row(runtime) == runtime


def test_an_unknown_runtime_is_not_taken_for_a_newer_one():
    assert row(None) == "not known"


@pytest.mark.parametrize("runtime", [f".NET {NEWER}.0.0", f".NET {NEWER}.0.0-preview.3.1"])
def test_a_runtime_newer_than_any_tested_says_so(runtime):
    said = row(runtime)
    assert said.startswith(f"{runtime}. Poolscope was tested on .NET {TESTED[0]}, ")
    assert f"not on .NET {NEWER}:" in said


@pytest.mark.parametrize("runtime, version", [(".NET 10.0.12", 10), (".NET Framework 4.8.1", None), (None, None)])
def test_the_major_version(runtime, version):
    assert major(runtime) == version
