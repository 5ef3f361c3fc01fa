"""The finding that becomes the verdict if a specific one explains more of the wait than a general one."""

from dataclasses import replace

from poolscope.findings.finding import Finding, Predicted
from poolscope.findings.ranking import choose


def finding(name, cost, **explains):
    return Finding(
        name, "high", name.title(), "", cost, "", [], [], [], {k.replace("_", "-"): v for k, v in explains.items()}
    )


INJECTION = finding("injection-delay", 100.0)


def test_the_costliest_general_cause_leads():
    assert choose([finding("core-contention", 99.0), INJECTION]).id == "injection-delay"


def with_fix(name, cost, after, ended_late=False):
    return replace(finding(name, cost), predicted=[Predicted("cores", 100.0, after)], ended_late=ended_late)


def test_of_two_that_cost_as_good_as_the_same_the_one_with_the_better_fix_leads():
    cap, core = with_fix("blocked-at-cap", 81.0, 50.0), with_fix("core-contention", 100.0, 98.0)
    assert choose([core, cap]).id == "blocked-at-cap"
    assert choose([core, with_fix("blocked-at-cap", 79.0, 99.0)]).id == "core-contention"
    assert choose([finding("core-contention", 100.0), cap]).id == "core-contention"  # nothing to compare with
    assert choose([with_fix("core-contention", 100.0, 98.0, ended_late=True), cap]).id == "core-contention"


def test_of_as_good_as_equals_any_better_fix_is_enough_and_of_others_it_is_not():
    core = with_fix("core-contention", 100.0, 60.0)
    assert choose([core, with_fix("blocked-at-cap", 81.0, 55.0)]).id == "blocked-at-cap"
    assert choose([core, with_fix("blocked-at-cap", 79.0, 55.0)]).id == "core-contention"


def test_a_cause_half_as_dear_leads_only_with_a_clearly_better_fix():
    core = with_fix("core-contention", 100.0, 60.0)
    assert choose([core, with_fix("blocked-at-cap", 51.0, 49.0)]).id == "blocked-at-cap"  # 51 saved, not 40
    assert (
        choose([core, with_fix("blocked-at-cap", 51.0, 51.0)]).id == "core-contention"
    ), "49: within the replay's error"
    assert choose([core, with_fix("blocked-at-cap", 49.0, 0.0)]).id == "core-contention", "less than half as costly"


def test_of_equals_with_one_fix_the_one_outside_the_program_leads():
    assert (
        choose([with_fix("core-contention", 100.0, 0.0), with_fix("noisy-neighbour", 99.0, 0.0)]).id
        == "noisy-neighbour"
    )


def test_of_equals_without_predictions_the_one_outside_the_program_leads_too():
    core, neighbour = finding("core-contention", 100.0), finding("noisy-neighbour", 81.0)
    assert choose([core, neighbour]).id == "noisy-neighbour"
    assert choose([core, replace(neighbour, item_seconds=79.0)]).id == "core-contention"
    assert choose([finding("runtime-suspended", 100.0), neighbour]).id == "runtime-suspended"


def test_a_specific_cause_takes_the_place_of_the_general_one_from_half_of_it_on():
    assert (
        choose([INJECTION, finding("gate-suppressed-by-cpu", 50.0, injection_delay=50.0)]).id
        == "gate-suppressed-by-cpu"
    )
    assert choose([INJECTION, finding("gate-suppressed-by-cpu", 49.0, injection_delay=49.0)]).id == "injection-delay"


def test_what_explains_a_cheaper_cause_is_not_the_verdict():
    cap = finding("blocked-at-cap", 120.0)
    progress = finding("gate-suppressed-by-progress", 100.0, injection_delay=100.0)
    assert choose([INJECTION, cap, progress]).id == "blocked-at-cap"


def test_what_is_dear_only_over_two_causes_does_not_lead():
    both = finding("sync-over-async", 70.0, injection_delay=40.0, blocked_at_cap=30.0)
    assert choose([INJECTION, finding("blocked-at-cap", 60.0), both]).id == "injection-delay"


def test_of_two_that_explain_most_the_one_in_the_code_leads():
    progress = finding("gate-suppressed-by-progress", 99.0, injection_delay=99.0)
    tasks = finding("sync-over-async", 60.0, injection_delay=60.0, blocked_at_cap=0.0)
    assert choose([INJECTION, progress, tasks]).id == "sync-over-async"


def test_a_specific_cause_may_be_notable_where_none_of_its_general_ones_is():
    assert choose([finding("sync-over-async", 12.0, injection_delay=6.0, blocked_at_cap=6.0)]).id == "sync-over-async"
