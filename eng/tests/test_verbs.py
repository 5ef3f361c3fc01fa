"""The verbs `test` and `lint`."""

import json

import pytest

import linting
import repo
import tables_doc
import testing


@pytest.mark.parametrize(
    ("arguments", "unit", "for_pytest"),
    [
        ([], False, []),
        (["--unit"], True, []),
        (["--unit", "--", "-k", "x"], True, ["-k", "x"]),
        (["--", "--unit"], False, ["--unit"]),
        # PowerShell takes the `--` out.
        (["--unit", "-k", "x"], True, ["-k", "x"]),
    ],
)
def test_arguments_are_split_between_us_and_pytest(arguments, unit, for_pytest):
    assert testing.split(arguments) == (unit, for_pytest)


def selected(arguments):
    """What `-m` says, the last time."""
    return [arguments[i + 1] for i, word in enumerate(arguments) if word == "-m"]


def test_without_a_selection_what_computes_runs_on_every_core_and_what_measures_alone(monkeypatch):
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 2)
    computing, measuring = testing.passes(False, [])
    assert selected(computing) == ["not live and not slow"] and computing[-2:] == ["-n", "2"]
    assert measuring == ["-m", "live and not slow"]
    assert testing.passes(True, []) == [computing]
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 64)
    assert testing.passes(True, [])[0][-1] == str(testing.MOST_WORKERS)


@pytest.mark.parametrize(("unit", "given"), [(False, ["-m", "slow"]), (False, ["-k", "x"]), (True, ["tests/cli"])])
def test_a_selection_of_one_s_own_runs_once_and_alone(unit, given):
    assert testing.passes(unit, given) == [[*(["-m", "not live"] if unit else []), *given]]


@pytest.mark.parametrize(("codes", "built", "expected"), [
    ([0, 0], True, 0), ([1, 0], True, 1), ([0, 2], True, 2), ([5, 0], True, 5), ([0, 0], False, 1), ([3, 0], False, 3),
])  # fmt: skip
def test_any_failure_is_the_exit_code_and_no_pass_is_left_out(monkeypatch, codes, built, expected):
    left = list(codes)
    monkeypatch.setattr(repo, "test_suites", lambda: [repo.ROOT / "Some.Tests"])
    monkeypatch.setattr(testing, "run_suite", lambda suite, unit: built)
    monkeypatch.setattr(testing.steps, "call", lambda command, cwd: left.pop(0))
    assert testing.run([]) == expected
    assert left == []


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Runs a shell script in place of a C# test executable."""
    if repo.WINDOWS:
        pytest.skip("the stand-in is a shell script")
    monkeypatch.setattr(repo, "ROOT", tmp_path)

    def run(script, unit=False):
        file = tmp_path / "Some.Tests"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return testing.run_suite(file, unit)

    return run


SUMMARY = "echo '=== TEST EXECUTION SUMMARY ==='; echo '   Some.Tests  Total: {}, Errors: 0, Failed: 0'"


def test_a_suite_that_passes_says_its_closing_line_only(suite, capfd):
    assert suite("echo '  Starting:    Some.Tests'; " + SUMMARY.format(4))
    assert capfd.readouterr().out.splitlines() == ["   Some.Tests  Total: 4, Errors: 0, Failed: 0"]


def test_a_suite_that_fails_fails_and_says_why(suite, capfd):
    assert not suite("echo '    A.B [FAIL]'; " + SUMMARY.format(4) + "; exit 1")
    assert "A.B [FAIL]" in capfd.readouterr().out


def test_a_suite_without_tests_fails_unless_its_live_ones_were_left_out(suite):
    nothing = SUMMARY.format(0)
    assert not suite(nothing)
    assert suite(nothing, unit=True)


def test_a_suite_is_told_to_leave_the_live_tests_out(suite, capfd):
    suite('echo "got $*"', unit=True)
    assert "-trait- live=yes" in capfd.readouterr().out


def test_a_suite_that_hangs_is_ended_and_fails(suite, monkeypatch):
    monkeypatch.setattr(testing, "SUITE_SECONDS", 0.3)
    assert not suite("exec sleep 60")


def test_a_suite_that_was_not_built_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(repo, "ROOT", tmp_path)
    assert not testing.run_suite(tmp_path / "Missing.Tests", False)


def test_lint_makes_every_check_and_fails_for_one(monkeypatch, capfd):
    made = []

    def bad():
        raise repo.BuildError("ugly")

    monkeypatch.setattr(linting, "CHECKS", [bad, lambda: made.append(1)])
    assert linting.run() == 1
    assert made == [1]
    assert "lint: ugly" in capfd.readouterr().out
    monkeypatch.setattr(linting, "CHECKS", [lambda: None])
    assert linting.run() == 0


def test_the_tables_page_follows_the_schema(tmp_path):
    page = tmp_path / "tables.md"
    assert not tables_doc.up_to_date(page)
    tables_doc.write(page)
    assert tables_doc.up_to_date(page)
    text = page.read_text(encoding="utf-8")
    schema = json.loads(repo.SCHEMA.read_text(encoding="utf-8"))
    for name, table in schema["tables"].items():
        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        rows = [line.split(" | ")[0].strip("| `") for line in section.splitlines() if line.startswith("| `")]
        assert rows == [column["name"] for column in table["columns"]]
    page.write_text(text.replace("int64", "int32", 1), encoding="utf-8")
    assert not tables_doc.up_to_date(page)


def test_a_bar_in_the_schema_does_not_break_a_row():
    column = {"name": "c", "type": "enum", "values": ["a", "b"], "what": "this | that"}
    schema = {"format": 1, "conventions": {}, "tables": {"t": {"what": "w", "columns": [column]}}}
    assert "| `c` | enum |  | this \\| that<br>values: 0 `a`, 1 `b` |" in tables_doc.render(schema)
