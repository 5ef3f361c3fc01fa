"""The analysis of any program keeps the contract, makes a page, and claims nothing impossible."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from contract.keeps import breaches
from hypothesis import example, given, settings
from hypothesis import strategies as st
from poolscope.base.finite import replace_non_finite, finite
from poolscope.product import analyse
from poolscope.report.rendering import render

from poolscope.whatif.prediction import run_figures
from synthetic import MS, CaptureBuilder

INF = float("inf")
UNITS = {"µs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}
FLOOR = re.compile(r"cannot fall below ([\d.]+) (µs|ms|s|min)")
MINIMUM = re.compile(r"threads:(\d+)")

NEVER_STARTED, NEVER_ENDED, ENDED = "never started", "never ended", "ended"
item = st.tuples(
    st.sampled_from((NEVER_STARTED, NEVER_ENDED, ENDED, ENDED)),
    st.integers(0, 3),  # worker
    st.sampled_from((0, 1, 1000, MS, 300 * MS, 600_000 * MS)),  # time since the previous enqueue
    st.lists(
        st.tuples(st.sampled_from(("running", "ready", "blocked")), st.sampled_from((0, 1, MS, 700 * MS, 10**13))),
        max_size=3,
    ),
    st.sampled_from((None, None, "lock", "woken", "task")),  # the wait of the item before it ends
)


def made(folder, items, limits, launched, kernel):
    """Builds workers that run their items one after another; no item begins before it was queued."""
    builder = CaptureBuilder(folder, length=1, limits=limits, launched=launched, kernel=kernel)
    rows: list[tuple] = []
    free, at = [0] * 4, 0
    for number, (outcome, worker, gap, states, met) in enumerate(items):
        at += gap
        if outcome == NEVER_STARTED or free[worker] is None:
            rows.append((at, -1, -1, -1, [], met))
            continue
        start = max(at, free[worker])
        end = start + sum(length for _, length in states)
        rows.append((at, start, end if outcome == ENDED else -1, 200 + worker, states, met))
        free[worker] = end if outcome == ENDED else None
        builder.length = max(builder.length, end)
    builder.length = max(builder.length, at) + 1
    for row in builder.rows["streams"]:
        row["end"] = builder.length
    for start, dequeue, end, worker, states, met in rows:
        held = [(name, length) for name, length in states if length]
        builder.item(start, dequeue, end, worker, held)
        if met == "lock" and end > dequeue >= 0:
            builder.contention(worker, dequeue, end, owner=200 if worker != 200 else 201)
        elif met == "woken" and end > dequeue >= 0:
            builder.wakeup(end, 200 if worker != 200 else 201, worker)
        elif met == "task" and dequeue >= 0:
            builder.task_wait(worker, dequeue)
    if rows:
        builder.change(1, max(limits[0], min(limits[1], 3)), "ClimbingMove").change(2, limits[0], "ClimbingMove")
    return builder.write()


def texts(content):
    if isinstance(content, str):
        yield content
    elif isinstance(content, (dict, list)):
        for inside in content.values() if isinstance(content, dict) else content:
            yield from texts(inside)


def numbers(content):
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        yield content
    elif isinstance(content, (dict, list)):
        for inside in content.values() if isinstance(content, dict) else content:
            yield from numbers(inside)


ONE = (ENDED, 0, 0, [("running", MS)], None)
STUCK = (NEVER_ENDED, 0, 0, [("blocked", 700 * MS)], None)


@settings(max_examples=60)
@given(
    items=st.lists(item, max_size=12),
    limits=st.sampled_from(((1, 1), (2, 2), (2, 32767), (28, 32767))),
    launched=st.booleans(),
    kernel=st.sampled_from((True, True, True, False)),
)
@example([], (2, 32767), True, True)
@example([ONE], (2, 32767), True, True)
@example([STUCK] * 4, (2, 2), True, True)
@example([(NEVER_STARTED, 0, MS, [], None)] * 12, (1, 1), False, True)
@example([(ENDED, n % 4, 0, [], None) for n in range(8)], (1, 32767), True, True)
@example([(ENDED, n % 2, 0, [("blocked", 10**13)], "lock") for n in range(8)], (2, 2), True, True)
@example([(ENDED, n % 4, 0, [("blocked", 700 * MS)], "woken") for n in range(12)], (4, 4), True, True)
def test_an_analysis_of_any_workload_says_nothing_that_cannot_be(items, limits, launched, kernel):
    with TemporaryDirectory() as folder:
        analysis = analyse(made(Path(folder), items, limits, launched, kernel))
        content = analysis.to_json()
        assert breaches(content) == []
        page = render(json.loads(analysis.dumps()))
    said = [*texts(content), page]
    assert not any(re.search(r"(?<![\w-])(nan|inf)(?![\w-])", text) for text in texts(content))
    assert all(abs(number) < 1e20 for number in numbers(content))
    measured = content["attribution"]["delay_ms"] if content["attribution"] else 0.0
    for value, unit in (found for text in said for found in FLOOR.findall(text)):
        assert float(value) * UNITS[unit] <= 1.01 * measured
    for fix in content["fixes"]:
        if found := MINIMUM.fullmatch(fix["id"]):
            assert int(found[1]) <= limits[1] or fix["after_ms"] is None
        assert fix["after_ms"] is None or 0 <= fix["after_ms"]
    for share in (content["attribution"] or {}).get("wait_share", {}).values():
        assert 0 <= share <= 1


def test_numbers_that_are_none_are_null():
    assert [finite(INF), finite(-INF), finite(float("nan")), finite(1 / 3)] == [None, None, None, 0.333333]
    content = {"a": [1.0, INF, {"b": float("nan"), "c": "inf", "d": True}], "e": -INF}
    replace_non_finite(content)
    assert content == {"a": [1.0, None, {"b": None, "c": "inf", "d": True}], "e": None}


@pytest.mark.parametrize("limits", [(2, 2), (2, 32767)])
def test_a_simulation_in_which_items_never_start_has_no_figure(tmp_path, monkeypatch, limits):
    """For example two items that each hold the only thread until the other, still queued, has run."""

    def stuck(*arguments, **more):
        figures = run_figures(*arguments, **more)
        endless = dict.fromkeys(figures.wait_ms, INF)
        return replace(figures, wait_ms=endless, seen_wait_ms=endless, completion_ms=endless, delay_ms=INF)

    monkeypatch.setattr(sys.modules["poolscope.whatif.predict"], "run_figures", stuck)
    items = [(ENDED, n % 2, 0, [("blocked", 700 * MS)], None) for n in range(8)]
    analysis = analyse(made(tmp_path, items, limits, True, True))
    content = analysis.to_json()
    assert content["what_if"]["calibration"]["wait_ms"]["mean"]["simulated"] is None
    assert breaches(content) == []
    assert "never" in render(json.loads(analysis.dumps()))
