"""Markers that tie a test to the rule it shows, a check that the test does show it, and a count of the tests left
out."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from contract.keeps import breaches
from poolscope.findings import judged
from poolscope.product import analysis as product

# The speed of making and passing examples shows how busy the machine is, and nothing about the code.
settings.register_profile(
    "poolscope", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("poolscope")


LEFT_OUT = pytest.StashKey[dict]()


def pytest_configure(config):
    config.stash[LEFT_OUT] = {"live": 0, "slow": 0}
    config.addinivalue_line("markers", "fires(rule): a capture of this test makes the rule fire")
    config.addinivalue_line("markers", "quiet(rule): a capture of this test has all that the rule needs, and it passes")


@pytest.fixture(autouse=True)
def promised_results(request, monkeypatch):
    """Fails a marked test if no analysis in it had the promised result."""
    promised = {("fired", mark.args[0]) for mark in request.node.iter_markers("fires")}
    promised |= {("passed", mark.args[0]) for mark in request.node.iter_markers("quiet")}
    if not promised:
        yield
        return
    seen: set[tuple[str, str]] = set()
    evaluate = judged.evaluate

    def recorded(evidence):
        findings, rules = evaluate(evidence)
        seen.update((result.status, result.id) for result in rules)
        return findings, rules

    monkeypatch.setattr(judged, "evaluate", recorded)
    yield
    assert promised <= seen, f"promised and never seen: {sorted(promised - seen)}"


def pytest_collection_modifyitems(items):
    """Puts tests marked `built` and then the largest files first, so that no worker begins a long file at the end of a
    run."""
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.get_closest_marker("built") is None, -tests[item.path], item.path))


def pytest_deselected(items):
    """Counts the tests that only `build test --all` runs. pytest reports only the number of deselected tests."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & {"live", "built", "browser", "slow"}:
            item.config.stash[LEFT_OUT]["slow" if "slow" in marks else "live"] += 1


def pytest_sessionfinish(session):
    # Set by pytest-xdist, whose workers all deselect the same tests.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[LEFT_OUT] = node.workeroutput["left_out"]


def pytest_terminal_summary(terminalreporter, config):
    """Prints the closing lines of other test runners (property `said`) and, if `build test` runs a part, the number of
    tests left out and the command that runs them."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "said":
                terminalreporter.write_line(value)
    if command := os.environ.get("POOLSCOPE_TESTS_REST"):
        count = config.stash[LEFT_OUT]
        terminalreporter.write_line(
            f"left out: {count['live']} tests of live processes, packages and pages in a browser; `{command}` runs them"
        )
        terminalreporter.write_line(f"left out: {count['slow']} slow tests; `./build.sh test -m slow` runs them")


@pytest.fixture(autouse=True)
def contract_kept(request, monkeypatch):
    """Fails a test marked `fires` if one of its analyses breaks traces/analysis.schema.json."""
    if request.node.get_closest_marker("fires") is None:
        yield
        return
    made = []

    class Recorded(product.Analysis):
        def __init__(self, *parts):
            super().__init__(*parts)
            made.append(self)

    monkeypatch.setattr(product, "Analysis", Recorded)
    yield
    assert [breach for analysis in made for breach in breaches(analysis.to_json())] == []
