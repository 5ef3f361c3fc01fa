"""How a C# test executable is run, and what its exit code and output mean."""

import pytest

import csharp_tests
import repo


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Runs a shell script in place of a C# test executable."""
    if repo.WINDOWS:
        pytest.skip("the stand-in is a shell script")
    monkeypatch.setattr(repo, "ROOT", tmp_path)

    def run(script, which=()):
        file = tmp_path / "Some.Tests"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return csharp_tests.run_suite(file, which)

    return run


SUMMARY = "echo '=== TEST EXECUTION SUMMARY ==='; echo '   Some.Tests  Total: {}, Errors: 0, Failed: 0'"


def test_a_suite_that_passes_says_its_closing_line_only(suite, capfd):
    assert suite("echo '  Starting:    Some.Tests'; " + SUMMARY.format(4)) == 4
    assert capfd.readouterr().out.splitlines() == ["   Some.Tests  Total: 4, Errors: 0, Failed: 0"]


def test_a_suite_that_fails_fails_and_says_why(suite, capfd):
    assert suite("echo '    A.B [FAIL]'; " + SUMMARY.format(4) + "; exit 1") is None
    assert "A.B [FAIL]" in capfd.readouterr().out


def test_a_suite_of_which_nothing_is_wanted_is_not_mentioned(suite, capfd):
    assert suite(SUMMARY.format(0)) == 0
    assert capfd.readouterr().out == ""


def test_a_suite_is_told_which_tests_are_wanted(suite, capfd):
    suite('echo "got $*"; ' + SUMMARY.format(1), csharp_tests.BUT_SMOKE)
    assert "-trait live=yes -trait- smoke=yes" in capfd.readouterr().out


def test_a_suite_that_hangs_is_ended_and_fails(suite, monkeypatch):
    monkeypatch.setattr(csharp_tests, "SUITE_SECONDS", 0.3)
    assert suite("exec sleep 60") is None


def test_suites_are_counted_by_what_they_list(suite, monkeypatch, tmp_path):
    suite('echo \'["a", "b"]\'')
    monkeypatch.setattr(repo, "test_suites", lambda: [tmp_path / "Some.Tests"])
    assert csharp_tests.count(csharp_tests.LIVE) == 2


def test_a_suite_that_was_not_built_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(repo, "ROOT", tmp_path)
    assert csharp_tests.run_suite(tmp_path / "Missing.Tests", ()) is None
