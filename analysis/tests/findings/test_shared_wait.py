"""How sure a verdict is that has less than half of the wait."""

from types import SimpleNamespace

import pytest
from poolscope.findings.verdict import _shared
from test_ranking import finding


def said(cause, *others, total=100.0):
    return _shared(SimpleNamespace(waiting_item_seconds=total), cause, [cause, *others])


@pytest.fixture
def injection():
    return finding("injection-delay", 49.0)


def test_the_next_cause_is_told_where_none_has_half_of_the_wait(injection):
    [reason] = said(injection, finding("core-contention", 20.0), finding("runtime-suspended", 30.0))
    assert "Beside the verdict's 49 %" in reason and reason.endswith("30 %.")


def test_half_of_the_wait_is_enough(injection):
    assert said(finding("injection-delay", 50.0), finding("core-contention", 40.0)) == []
    assert said(injection, finding("core-contention", 40.0), total=98.0) == []


def test_what_says_more_about_the_same_wait_is_no_second_cause(injection):
    progress = finding("gate-suppressed-by-progress", 45.0, injection_delay=45.0)
    assert said(injection, progress) == [] and said(progress, injection) == []


def test_healthy_has_no_causes():
    assert said(finding("healthy", 0.0), finding("hidden-waits", 1.0)) == []
