"""The mutation tool seeds the fault and nothing else, and separates tests that notice it from those that do not."""

import ast
import importlib
import sys
import textwrap

import pytest
from mutation import csharp, page, plan
from mutation.faults import faults_of, faulty_tree
from mutation.reached import noted_lines
from mutation.seeding import seed

SOURCE = '''
"""A text with a < b."""
import numpy as np

LIMIT_NS = 5
SMALL = 5


def wait(begin: int, end: int, least: int = 7) -> int:
    """Text 1."""
    if end - begin < 10:
        raise ValueError(f"less than {10 + 1}")
    return np.maximum(end - begin, -1)


class Part:
    @staticmethod
    def twice(x):
        def inner(y):
            return y * 2
        return inner(x)

    @property
    def limit(self):
        return LIMIT_NS
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "seeded_here.py").write_text(textwrap.dedent(SOURCE))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("seeded_here")
    sys.modules.pop("seeded_here")


def test_the_faults_of_a_file_are_these_and_no_text_annotation_or_default_is_one(module, tmp_path):
    found = [(f.kind, f.before, f.after) for f in faults_of(tmp_path / "seeded_here.py")]
    assert found == [
        ("unit", "5", "5000"),
        ("boundary", "end - begin < 10", "end - begin <= 10"),
        ("negated", "end - begin < 10", "end - begin >= 10"),
        ("sign", "end - begin", "end + begin"),
        ("off-by-one", "10", "11"),
        ("other", "np.maximum", "np.minimum"),
        ("sign", "end - begin", "end + begin"),
        ("off-by-one", "-1", "0"),
        ("sign", "-1", "1"),
        ("factor", "y * 2", "y / 2"),
        ("off-by-one", "2", "3"),
    ]


def test_each_fault_changes_one_place_and_keeps_the_lines(tmp_path, module):
    path = tmp_path / "seeded_here.py"
    whole = ast.dump(ast.parse(path.read_text()))
    trees = [ast.dump(faulty_tree(fault)) for fault in faults_of(path)]
    assert len({whole, *trees}) == len(trees) + 1
    for fault in faults_of(path):
        functions = [n.lineno for n in ast.walk(faulty_tree(fault)) if isinstance(n, ast.FunctionDef)]
        assert functions == [n.lineno for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]


def test_a_seeded_function_is_faulty_wherever_it_was_imported_to(tmp_path, module):
    from seeded_here import Part, wait  # type: ignore[import]  # written by `module`

    by_kind = {(f.kind, f.before): f for f in faults_of(tmp_path / "seeded_here.py")}
    assert (wait(0, 30), Part.twice(3), Part().limit) == (30, 6, 5)
    seed(by_kind["sign", "end - begin"])
    assert wait(5, 15) == 20
    seed(by_kind["factor", "y * 2"])
    assert Part.twice(3) == 1.5
    seed(by_kind["unit", "5"])
    assert Part().limit == 5000


def test_the_lines_that_a_test_reaches_are_noted(tmp_path, module):
    with noted_lines(tmp_path) as lines:
        module.Part.twice(1)
    text = (tmp_path / "seeded_here.py").read_text().splitlines()
    assert {text[n - 1].strip() for n in lines[str(tmp_path / "seeded_here.py")]} >= {"return y * 2", "return inner(x)"}
    assert not any("maximum" in text[n - 1] for n in lines[str(tmp_path / "seeded_here.py")])


def test_the_same_seed_draws_the_same_faults_and_a_longer_draw_begins_with_a_shorter_one():
    first, again, other = (plan.drawn(s)[:50] for s in (1, 1, 2))
    assert first == again != other
    assert all(fault.path.is_file() for fault in first)


def test_every_draw_can_be_parsed():
    for fault in plan.drawn(3)[:200]:
        compile(faulty_tree(fault), str(fault.path), "exec")


def test_lines_of_csharp_have_faults_but_not_in_texts_comments_and_constants(tmp_path):
    path = tmp_path / "A.cs"
    path.write_text(
        'namespace A;\n\n    private const int X = 1;\n    // a < b\n    Say("a < b");\n    if (a < b && !Has(row))\n    at--;\n'
    )
    found = {(f.kind, f.after.strip()) for f in csharp.faults_of(path)}
    assert found == {
        ("left-out", ";"),
        ("boundary", "if (a <= b && !Has(row))"),
        ("negated", "if (a >= b && !Has(row))"),
        ("and-or", "if (a < b || !Has(row))"),
        ("negated", "if (a < b && Has(row))"),
        ("negated", "if (!(a < b && !Has(row)))"),
        ("sign", "at++;"),
    }


def test_the_page_counts_what_ran_for_ever_as_caught_and_what_did_not_compile_not_at_all():
    rows = [
        {"path": "analysis/poolscope/attribution/a.py", "kind": "sign", "line": 3, "before": "a | b", "after": "a & b"}
        | {"outcome": outcome}
        for outcome in ("caught", "timeout", "survived", "unreached", "not compiled")
    ]
    assert page.share(rows) == 0.5
    text = page.markdown(rows)
    assert "| **all** | 4 | 2 | 1 | 1 | 1 | 50.0% |" in text
    assert r"`a \| b`" in text
