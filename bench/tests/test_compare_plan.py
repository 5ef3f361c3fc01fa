"""The plan of `bench compare`, and its result for known verdicts."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from compare import __main__ as bench
from compare import judging, page, plan
from numbered_runs import noisy


def test_every_triple_is_captured_and_the_sides_take_turns():
    made = plan.runs()
    assert len({run.folder for run in made}) == len(made) == plan.COMPARISONS * plan.RUNS * len(plan.SIDES)
    for start in range(0, len(made), len(plan.SIDES)):
        turn = made[start : start + len(plan.SIDES)]
        assert Counter(run.workload for run in turn) == Counter(plan.SIDES.values())
    assert plan.runs() == made


def test_the_longer_side_differs_in_the_service_time_alone():
    short, long = plan.SIDES["unchanged-a"], plan.SIDES["longer"]
    different = [(a, b) for a, b in zip(short, long, strict=True) if a != b]
    assert [float(b) / float(a) for a, b in different] == [plan.LONGER]


def captured(longer):
    draw = np.random.default_rng(3)
    sides = {
        (n, side): [noisy(draw, 0.02, 500 * (longer if side == "longer" else 1.0)) for _ in range(plan.RUNS)]
        for n in range(plan.COMPARISONS)
        for side in plan.SIDES
    }
    return judging.Captured(sides, [{"others_cores": 0.1}], {"run": 0.001})


@pytest.mark.parametrize("longer, met", [(1.2, True), (1.0, False)])
def test_goals(longer, met, monkeypatch):
    monkeypatch.setattr(bench, "RUNS_OF_WHATIF", Path("nowhere"))
    result = bench.judged(captured(longer))
    assert result["alike"]["verdicts"] == result["longer"]["verdicts"] == 40
    assert result["alike"]["met"] and result["longer"]["met"] is met
    text = page.markdown(result)
    assert f"{result['longer']['counted']} of 40" in text and ("**missed**" in text) is not met


def test_a_plan_that_was_not_finished_meets_nothing():
    whole = captured(1.2)
    part = judging.Captured({key: runs for key, runs in whole.sides.items() if key[0] < 5}, [], {"run": 0.001})
    for n in range(5, plan.COMPARISONS):
        for side in plan.SIDES:
            part.sides[n, side] = []
    result = bench.judged(part)
    assert result["alike"]["verdicts"] == 20 and not result["alike"]["met"] and not result["longer"]["met"]


def test_the_floor_covers_the_pairs_that_it_was_measured_from():
    draw = np.random.default_rng(4)
    settings = {}
    for level, sd in ((1000.0, 0.05), (10.0, 0.2)):
        values = (level * float(np.exp(draw.normal(0, sd))) for _ in range(60))
        summaries = [dict.fromkeys(("mean", "p50", "p90", "p99"), value) for value in values]
        settings[str(level)] = [
            {"figures": {"items": {"items": 1, "wait_ms": s, "completion_ms": s}}} for s in summaries
        ]
    found = judging.floor_of({}, {"runs": {"scenario": settings}})
    assert found["share"] == pytest.approx(0.05, rel=0.25)
    assert found["ms"] == pytest.approx(2.0, rel=0.3)
    assert found["covered"] > 0.9


def test_a_part_of_the_runs_tells_no_floor():
    summary = dict.fromkeys(("mean", "p50", "p90", "p99"), 1000.0)
    run = {"figures": {"items": {"items": 1, "wait_ms": summary, "completion_ms": summary}}}
    assert judging.floor_of({}, {"runs": {"scenario": {"min 10 threads": [run, run]}}}) is None
