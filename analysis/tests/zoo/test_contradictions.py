"""The check over whole pages, on pages that contradict themselves in one place each."""

import copy
from typing import Any

import pytest
from zoo.contradictions import contradictions

FIX = {
    "id": "threads:53",
    "label": "Set the minimum of threads to 53",
    "status": "recommended",
    "reason": None,
    "before_ms": 722.0,
    "after_ms": 30.0,
    "low_ms": 28.0,
    "high_ms": 33.0,
    "lower_bound": False,
    "model_error": 0.04,
}
SETTING = {"min_threads": 53, "async": False}
GOOD = {
    "fixes": [FIX, {**FIX, "id": "await", "status": "alternative", "after_ms": 6.28, "lower_bound": True}],
    "coverage": {"replay_error": 0.04},
    "findings": [
        {
            "id": "injection-delay",
            "predicted": [{"fix": "threads:53", "delay_ms": 722.0, "delay_after_ms": 30.0}],
            "advice": [
                "Set the minimum worker threads to 53. Predicted mean delay: 30 ms (28 ms to 33 ms), measured 722 ms.",
                "Await Shop.Find. Predicted mean delay: \N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}6.28 ms (6 ms to 7 ms), measured 722 ms.",
            ],
        }
    ],
    "what_if": {"rows": [{"group": "min-threads", "setting": SETTING, "delay_ms": {"mean": 30.0}}], "advice": []},
}


def changed(path, value):
    page = copy.deepcopy(GOOD)
    place: Any = page
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return page


def test_a_page_of_one_mind_has_none():
    assert contradictions(GOOD) == []


@pytest.mark.parametrize(
    "path, value, said",
    [
        (("fixes", 1, "before_ms"), 716.0, "different baselines"),
        (("fixes", 1, "id"), "threads:53", "listed twice"),
        (("findings", 0, "predicted", 0, "delay_after_ms"), 26.9, "in the list 30.0 ms"),
        (("findings", 0, "predicted", 0, "fix"), "threads:74", "which the list has not"),
        (("what_if", "rows", 0, "delay_ms"), {"mean": 3.14}, "the table has 3.14 ms"),
        (
            ("findings", 0, "advice"),
            ["Predicted mean delay: 6.07 ms, measured 722 ms."],
            "which no fix of the list has",
        ),
        (("findings", 0, "advice"), ["Predicted mean delay: 30 ms, measured 711 ms."], "measured 711 ms"),
        (("coverage", "replay_error"), 81.3, "by a model that is 8130% off"),
        (("fixes", 0, "after_ms"), 9000.0, "is offered and worsens"),
        (("fixes", 0, "status"), "not-recommended", "which the list rejects"),
    ],
)
def test_each_contradiction_is_found(path, value, said):
    found = contradictions(changed(path, value))
    assert any(said in line for line in found), found


def test_where_the_model_does_not_fit_advice_without_a_number_is_none():
    page: dict[str, Any] = {
        "fixes": [{**FIX, "id": "threads", "status": "not-recommended", "after_ms": None, "model_error": 3.0}],
        "coverage": {"replay_error": 3.0},
        "findings": [{"id": "injection-delay", "predicted": [], "advice": ["Await the blocking call in Shop.Find."]}],
        "what_if": None,
    }
    assert contradictions(page) == []
    page["findings"][0]["advice"] = ["Set the minimum worker threads to 300."]
    assert len(contradictions(page)) == 1
