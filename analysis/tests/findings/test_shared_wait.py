"""The confidence of a verdict that explains less than half of the wait."""

from types import SimpleNamespace
from typing import Any

import pytest
from poolscope.findings.verdict import _shared
from test_ranking import finding


def said(cause, *others, total=100.0):
    parts = SimpleNamespace(dependency=40.0, holding=0.0, core=1.0, injection=10.0, runtime=0.0)
    evidence: Any = SimpleNamespace(
        waiting_item_seconds=total, split=SimpleNamespace(parts=parts), item_seconds=lambda part: part
    )
    return _shared(evidence, cause, [cause, *others])


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
    for reason in (*said(injection, progress), *said(progress, injection)):
        assert "Beside" not in reason


def test_a_cause_with_less_than_half_is_never_all_of_the_answer():
    [reason] = said(finding("injection-delay", 10.0))
    assert reason == (
        "The cause has 10 % of the wait. In 40 % of it items held threads while they waited for what another item had."
    )


def test_what_is_left_is_named_only_where_it_is_more_than_the_cause():
    assert said(finding("injection-delay", 45.0)) == ["The cause has 45 % of the wait."]


def test_healthy_has_no_causes():
    assert said(finding("healthy", 0.0), finding("hidden-waits", 1.0)) == []
