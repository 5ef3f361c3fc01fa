"""The errors of predictions, their summary, and the page."""

import json
import math

import pytest

from whatif import accuracy, claims, page
from whatif.accuracy import compare
from whatif.samples import Samples
from whatif.scenario import ITEMS, TRUTH
from whatif.scenarios import BY_NAME

TICKET = BY_NAME["ticket"]


@pytest.mark.parametrize(
    ("measured", "predicted", "error"),
    [
        ([90.0, 100.0, 120.0], 100.0, 0.0),
        ([90.0, 100.0, 120.0], 119.0, 0.0),  # within the range of the runs
        ([90.0, 100.0, 120.0], 125.0, 0.25),  # beyond it: compared with the median, not with the range
        ([90.0, 100.0, 120.0], 80.0, 0.2),
        ([100.0], 110.0, 0.1),
        ([1.0, 2.0, 3.0], 6.9, 0.0),  # a difference below 5 ms
        ([1.0, 2.0, 3.0], 8.0, 1.2),  # beyond it, as a multiple of 5 ms
        ([100.0], math.inf, math.inf),
        ([100.0], None, None),
    ],
)
def test_the_error_is_to_the_median_and_counts_beyond_the_range_only(measured, predicted, error):
    assert compare(measured, predicted).error == (error if error is None else pytest.approx(error))


def figures(wait, end=1000.0, items=10, unfinished=0):
    wait_ms = {"mean": wait, "p50": wait, "p90": wait, "p99": 2 * wait, "max": 2 * wait, "at_least": []}
    return {"items": items, "wait_ms": wait_ms, "completion_ms": wait_ms, "end_ms": end, "unfinished": unfinished}


def sample(wait, **more):
    return {
        "figures": {ITEMS: figures(wait, **more), TRUTH: figures(wait / 2, **more)},
        "others_cores": 0.1,
        "stalled_before": 0.0,
    }


def prediction(wait, end=1000.0, deadlock=False):
    wait_ms = {"mean": wait, "p50": wait, "p99": 2 * wait, "max": 2 * wait}
    return {
        "wait_ms": wait_ms,
        "completion_ms": wait_ms,
        "low_ms": wait - 1,
        "high_ms": wait + 1,
        "end_ms": end,
        "deadlock": deadlock,
        "lower_bound": False,
        "why": [],
    }


@pytest.fixture
def samples(tmp_path):
    made = Samples(tmp_path / "samples.json")
    made.put_baseline(TICKET, sample(5000.0))
    for change, waits in zip(TICKET.changes, [(90, 100, 120), (400, 400, 400), (1, 1, 2), (3, 3, 3)], strict=True):
        for number, wait in enumerate(waits, 1):
            made.put_run(TICKET, change, number, sample(float(wait)))
    return made


def predicted(**by_change):
    return {"ticket": {name.replace("_", " "): made for name, made in by_change.items()}}


def test_rows_hold_each_change_against_its_own_prediction_and_figures(samples):
    made = {"min 10 threads": prediction(125.0), "min 20 threads": prediction(400.0), "async": prediction(1.5)}
    rows = accuracy.rows_of([TICKET], samples, {"ticket": made}, {"ticket: min 10 threads": "Chance."})
    assert [row.change for row in rows] == ["min 10 threads", "min 20 threads", "min 50 threads", "async"]
    assert [row.mean.error for row in rows] == [0.25, 0.0, None, 0.0]
    assert rows[0].end.measured_ms == 1000
    assert rows[0].mean.measured_ms == 100 and rows[0].p99.measured_ms == 200 and rows[0].cause == "Chance."
    assert rows[3].mean.measured_ms == 1.5, "awaited items are measured by the workload's own clock"
    summary = accuracy.summarise(row.mean for row in rows)
    assert (summary.median, summary.median_relative, summary.worst, summary.rows) == (0.0, 0.125, 0.25, 3)


def test_what_others_disturbed_is_marked_and_summed_up_apart(samples):
    made = {"min 10 threads": prediction(200.0), "min 20 threads": prediction(400.0)}
    change = TICKET.changes[0]
    for number in (1, 2):
        samples.put_run(TICKET, change, number, {**sample(100.0), "others_cores": 1.5})
    rows = accuracy.rows_of([TICKET], samples, {"ticket": made}, {})
    assert [row.loud for row in rows] == [True, False, False, False]
    content = page.document(rows, [], [], ABOUT)
    assert content["worst_error"] == 1.0 and content["undisturbed"]["worst"] == 0.0
    assert "min 10 threads (disturbed)" in page.markdown(rows, [], [], ABOUT)
    samples.put_baseline(TICKET, {**sample(5000.0), "others_cores": 1.5})
    assert all(row.loud for row in accuracy.rows_of([TICKET], samples, {"ticket": made}, {}))


def test_the_last_completion_is_the_workloads_own_where_it_has_a_clock():
    own = {"figures": {ITEMS: figures(1.0, end=1300.0), TRUTH: figures(1.0, end=1000.0)}}
    service = {"figures": {ITEMS: figures(1.0, end=1300.0), TRUTH: None}}
    assert (accuracy.last_end_ms(own), accuracy.last_end_ms(service)) == (1000.0, 1300.0)


def test_json_has_the_promised_keys_and_no_infinity(samples):
    rows = accuracy.rows_of([TICKET], samples, {"ticket": {"min 10 threads": prediction(math.inf, math.inf, True)}}, {})
    content = page.document(rows, [], [], {"machine": {}, "quiet": {}})
    json.dumps(content, allow_nan=False)
    row = content["rows"][0]
    assert {"scenario", "change", "measured_ms", "predicted_ms", "low_ms", "high_ms", "error"} <= row.keys()
    assert row["deadlock"] and row["predicted_ms"] is None and row["measured_low_ms"] == 90
    assert {"median_error", "worst_error"} <= content.keys()
    assert content["misses"] == [
        {"scenario": "ticket", "change": "min 10 threads", "figures": list(accuracy.FIGURES), "cause": None}
    ]


ABOUT = {
    "machine": {"date": "2026-01-02", "processor": "Some", "cores": 2, "kernel": "6.1"},
    "quiet": {"runs": 3, "others_median": 0.1, "others_most": 0.4, "disturbed": 1, "stalled_most": 0.07},
}


def test_the_page_marks_misses_with_their_cause_and_says_how_quiet_it_was(samples):
    made = {"min 10 threads": prediction(300.0), "min 20 threads": prediction(401.0)}
    rows = accuracy.rows_of([TICKET], samples, {"ticket": made}, {"ticket: min 10 threads": "The gate's phase."})
    text = page.markdown(rows, [], [], ABOUT)
    assert "- `ticket`, min 10 threads: mean wait, p99 wait. The gate's phase." in text
    assert "| `ticket` | min 10 threads | 100 (90.0 to 120) | 300 (299 to 301) | **200 %** |" in text
    assert "in 1 runs more than 0.25" in text and "**beyond the goals**" in text
    whole = page.insert(f"before {page.BEGIN} old {page.END} after", text)
    assert "old" not in whole and whole.startswith("before") and whole.endswith("after")
    with pytest.raises(ValueError, match="marks"):
        page.insert("nothing", text)


def test_without_predictions_nothing_is_within_the_goals(samples):
    rows = accuracy.rows_of([TICKET], samples, {}, {})
    text = page.markdown(rows, [], claims.claims(rows, samples, {}, {}), ABOUT)
    assert "not predicted" in text and "Nothing was predicted yet." in text
    assert "within the goals" not in text and "| holds |" not in text and "cannot tell" in text


def convoy(tmp_path, *, wait=1.0, end=8000.0, findings=("wait-would-move",)):
    scenario = BY_NAME["lock-convoy"]
    made = Samples(tmp_path / "convoy.json")
    made.put_baseline(scenario, sample(3900.0, end=8000.0))
    change = scenario.changes[-1]
    made.put_run(scenario, change, 1, sample(20.0, end=8100.0))
    predictions = {scenario.name: {change.name: prediction(wait, end)}}
    rows = accuracy.rows_of([scenario], made, predictions, {})
    found = {"lock-convoy": list(findings), "ticket": ["injection-delay", "min-threads-would-help"]}
    said = claims.claims(rows, made, predictions, found)
    return [c.holds for c in said if "lock-convoy" in c.text or "ticket" in c.text]


def test_the_convoy_starts_at_once_ends_as_late_and_is_advised_against(tmp_path):
    assert convoy(tmp_path) == [True, True, True, True]
    assert convoy(tmp_path, wait=60.0)[0] is False
    assert convoy(tmp_path, end=7000.0)[1] is False
    assert convoy(tmp_path, findings=["wait-would-move", "min-threads-would-help"])[2] is False
    assert convoy(tmp_path, findings=[])[2] is False


def test_the_deadlock_counts_if_it_is_predicted_and_real(tmp_path):
    scenario = BY_NAME["barrier-default"]
    change = next(c for c in scenario.changes if c.deadlock)
    made = Samples(tmp_path / "barrier.json")
    made.put_run(scenario, change, 1, sample(0.0, items=60, unfinished=60))

    def holds(deadlock):
        said = claims.claims([], made, {scenario.name: {change.name: prediction(0.0, deadlock=deadlock)}}, {})
        return next(c.holds for c in said if "59" in c.text)

    assert holds(True) and not holds(False)
    assert accuracy.rows_of([scenario], made, {}, {}) == [], "a run without an end has no figures to compare"
    made.put_run(scenario, change, 1, sample(0.0, items=60, unfinished=59))
    assert not holds(True)
