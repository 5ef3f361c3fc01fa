"""Every rule has a test with a capture that makes it fire, one with a capture that must not, and a place in the
docs."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from poolscope.findings import rules
from poolscope.findings.rules import RULES
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

TESTS = Path(__file__).parents[1]
DOCUMENT = (TESTS.parents[1] / "docs" / "findings.md").read_text("utf-8")
IDS = [rule.id for rule in RULES]
DESIGNED = (
    "injection-delay", "blocked-at-cap", "core-contention", "sync-over-async", "lock-convoy", "goal-lowered-under-backlog",
    "gate-suppressed-by-cpu", "gate-suppressed-by-progress", "late-timers", "noisy-neighbour", "cgroup-throttled",
    "runtime-suspended", "oversubscribed", "min-threads-would-help", "min-threads-would-hurt", "wait-would-move",
    "coverage-low", "healthy",
)  # fmt: skip


@cache
def marked():
    """Returns the tests by rule and marker: {(rule, "fires"): ["test_x", ...]}. conftest.py checks the promises."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            for mark in getattr(function, "decorator_list", []):
                call = re.fullmatch(r"pytest\.mark\.(fires|quiet)\('([\w-]+)'\)", ast.unparse(mark))
                if call:
                    found.setdefault((call[2], call[1]), []).append(f"{file.stem}::{getattr(function, 'name')}")
    return found


def test_every_designed_rule_exists_and_every_class_of_a_rule_is_listed():
    assert set(DESIGNED) <= set(IDS) and len(set(IDS)) == len(IDS)
    written = {
        (file.stem, node.name)
        for file in Path(rules.__file__).parent.glob("*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(at).startswith("id = ") for at in node.body)
    }
    assert written == {(type(rule).__module__.rsplit(".", 1)[-1], type(rule).__name__) for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_rule_is_shown_by_a_capture_that_fires_it_and_one_that_does_not_and_is_documented(rule):
    found = marked()
    for marker in ("fires", "quiet"):
        assert (rule.id, marker) in found, f"no test is marked {marker}({rule.id!r})"
    assert f"## {rule.documentation}\n" in DOCUMENT


def test_no_marker_names_a_rule_that_there_is_not():
    assert {rule for rule, _ in marked()} <= set(IDS)


def one_item(folder, kernel):
    builder = CaptureBuilder(folder, length=1000 * MS, limits=(2, 2), kernel=kernel)
    builder.item(0, MS, 2 * MS, 200, [("running", MS)])
    return builder


@pytest.mark.fires("coverage-low")
def test_a_capture_without_a_kernel_stream_has_a_hole(tmp_path):
    analysis = analyse(one_item(tmp_path, kernel=False).write())
    assert "There is no kernel stream" in next(f for f in analysis.findings if f.id == "coverage-low").evidence[0]


@pytest.mark.quiet("coverage-low")
@pytest.mark.fires("healthy")
def test_a_whole_capture_of_one_prompt_item_is_healthy_and_has_none(tmp_path):
    assert analyse(one_item(tmp_path, kernel=True).write()).verdict.id == "healthy"


@pytest.mark.parametrize("enqueue", [-1, 0])
def test_where_no_item_was_seen_whole_nobody_knows_how_good_the_replay_is(tmp_path, enqueue):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, limits=(1, 1), launched=enqueue == 0)
    for i in range(4):
        builder.item(enqueue, (i + 1) * 1000 * MS, (i + 2) * 1000 * MS, 200, [("blocked", 1000 * MS)])
    analysis = analyse(builder.write())
    said = any("could not be compared with the run" in reason for reason in analysis.verdict.reasons)
    assert said == (enqueue < 0)
    assert analysis.verdict.confidence != "high" or not said


def burst(folder, waits):
    """Builds items a millisecond apart in a capture of 2 s, each 0.1 ms long on a worker of its own; `waits` in ms."""
    builder = CaptureBuilder(folder, length=2000 * MS)
    for i, wait in enumerate(waits):
        start = i * MS + wait * MS
        builder.item(i * MS, start, start + MS // 10, 200 + i, [("running", MS // 10)])
    return builder


def test_a_burst_begun_within_50_ms_is_healthy_however_short_the_capture(tmp_path):
    assert analyse(burst(tmp_path, [40] * 50).write()).evidence.is_healthy


def test_what_nobody_notices_of_each_does_not_add_up(tmp_path):
    assert analyse(burst(tmp_path, [9] * 400).write()).evidence.is_healthy  # 3.6 s in total


def test_one_item_that_is_late_among_hundreds_is_not_healthy(tmp_path):
    evidence = analyse(burst(tmp_path, [0] * 400 + [1500]).write()).evidence
    assert evidence.p99_wait.value < MS and not evidence.is_healthy
