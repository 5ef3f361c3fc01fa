"""The rules for a right look, shown on small ones."""

import pytest
from zoo.case import Case
from zoo.expected import load
from zoo.look import holder, judge, lines, passes, totals

PROGRAMS = load()


def look(verdict, *groups, items=()):
    return {
        "verdict": {"id": verdict, "confidence": "medium"},
        "text": "said",
        "threads": {"groups": [{"method": method, "count": count} for method, count in groups], "not_read": 0},
        "queue": {"items": [{"method": method, "kind": kind, "count": count} for method, kind, count in items]},
    }


def judged(name, found, first_s=0.5, source="process"):
    return judge(Case(PROGRAMS[name], "net10.0", "attached", 1, False), source, found, first_s, 1.2)


PAY = "Shop.Checkout.CheckoutController.Pay"


def test_the_holder_is_the_method_of_most_threads_whatever_their_stacks():
    assert holder([{"method": None, "count": 9}, {"method": "A", "count": 3}, {"method": "B", "count": 2}]) == "A"
    groups = [{"method": "A", "count": 3}, {"method": "B", "count": 2}, {"method": "B", "count": 2}]
    assert holder(groups) == "B"
    assert holder([]) is None


@pytest.mark.parametrize(
    "name, found, right, holder_right",
    [
        ("checkout-result", look("sync-over-async", (PAY, 4)), True, True),
        ("checkout-result", look("injection-delay", (PAY, 4)), True, True),
        ("checkout-result", look("core-contention", ("Other.Call", 4)), False, False),
        ("checkout-result", look("cannot-tell"), None, False),
        ("thumbnails", look("healthy"), True, None),
    ],
)
def test_a_look_is_held_against_what_is_fixed(name, found, right, holder_right):
    got = judged(name, found)
    assert (got.right, got.holder_right) == (right, holder_right)


def test_a_cause_in_a_healthy_program_and_a_slow_answer_fail():
    good = judged("checkout-result", look("sync-over-async", (PAY, 4)))
    assert passes([good])
    assert not passes([good, judged("thumbnails", look("injection-delay"))])
    assert not passes([good, judged("thumbnails", look("healthy"), first_s=1.1)])
    assert not passes([good, judged("checkout-result", look("sync-over-async", ("Other.Call", 4)))])
    assert totals([judged("checkout-result", look("healthy"))])["sick_called_healthy"]


def test_lines_name_each_miss_and_items_are_summed_by_method():
    got = judged(
        "checkout-result", look("core-contention", ("Other.Call", 4), items=[("M", "task", 2), ("M", "item", 1)])
    )
    assert got.queued == {"M": 3}
    assert lines([got])[0] == "checkout-result-net10.0-process: core-contention, holder Other.Call"
    assert lines([])[-1] == "first answer after not measured at most, a dump's after not measured"
