"""The verbs `test` and `lint`."""

import signal
import subprocess
import sys

import pytest

import csharp_tests
import linting
import repo
import testing
from testing import Wanted


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], Wanted()),
        (["--unit"], Wanted(unit=True)),
        (["--all", "--lint"], Wanted(everything=True, lint=True)),
        (["--unit", "--", "-k", "x"], Wanted(unit=True, for_pytest=("-k", "x"))),
        (["--", "--unit"], Wanted(for_pytest=("--unit",))),
        # PowerShell removes the `--`.
        (["--unit", "-k", "x"], Wanted(unit=True, for_pytest=("-k", "x"))),
    ],
)
def test_arguments_are_split_between_us_and_pytest(arguments, expected):
    assert testing.wanted(arguments) == expected


def test_all_and_unit_tests_alone_cannot_both_be_wanted():
    with pytest.raises(repo.BuildError, match="exclude each other"):
        testing.wanted(["--unit", "--all"])


def selected(arguments):
    """Returns the last value of `-m`."""
    return [arguments[i + 1] for i, word in enumerate(arguments) if word == "-m"]


def test_what_computes_runs_on_every_core_and_what_measures_alone(monkeypatch):
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 2)
    first, paired, built, measuring = testing.passes(Wanted(everything=True))
    assert selected(built) == ["(built or browser) and not live and not slow"] and built[-2:] == ["-n", "3"]
    assert selected(paired) == ["paired and not slow"] and paired[-2:] == ["-n", "2"]
    assert measuring == ["-m", "live and not paired and not slow"]
    units, smoke = testing.passes(Wanted())
    assert selected(units) == ["not live and not browser and not built and not slow"] and units[-2:] == ["-n", "2"]
    assert first == units and smoke == ["-m", "smoke"]
    assert testing.passes(Wanted(unit=True)) == [units]
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 64)
    assert testing.passes(Wanted(unit=True))[0][-1] == str(testing.MOST_WORKERS)


@pytest.mark.parametrize(("unit", "given"), [(False, ["-m", "slow"]), (False, ["-k", "x"]), (True, ["tests/cli"])])
def test_a_selection_of_one_s_own_runs_once_and_alone(unit, given):
    asked = Wanted(unit=unit, for_pytest=tuple(given))
    assert testing.passes(asked) == [[*(["-m", "not live"] if unit else []), *given]]


@pytest.fixture
def runs(monkeypatch):
    """runs(codes, counts) replaces pytest, which ends with these codes in turn, and the C# suites, in which `counts`
    tests pass in turn. Returns the list of the started runs."""
    started = []

    def be(codes, counts):
        codes, counts = iter(codes), iter(counts)
        monkeypatch.setattr(
            testing.steps, "call", lambda command, env, cwd: started.append(("pytest", *env)) or next(codes)
        )
        monkeypatch.setattr(testing, "_publish", lambda: None)
        monkeypatch.setattr(testing, "_Beside", lambda verb, idle=False: verb)
        monkeypatch.setattr(testing, "_packed", lambda packing: {testing.PACKED: packing})
        monkeypatch.setattr(
            csharp_tests,
            "run",
            lambda which, at_a_time, say: started.append((which, at_a_time)) or {"Some.Tests": next(counts)},
        )
        monkeypatch.setattr(testing.needs, "set_up", lambda needs, building: started.append(building))
        monkeypatch.setattr(testing.dotnet, "set_up", lambda: True)
        monkeypatch.setattr(csharp_tests, "count", lambda which: 7)
        return started

    return be


@pytest.mark.parametrize(("codes", "counts", "expected"), [
    ([0] * 4, [3, 1], 0), ([1, 0, 0, 0], [3, 1], 1), ([0, 2, 2, 2], [3, 1], 2), ([5, 0, 0, 0], [3, 1], 5),
    ([0] * 4, [None, 1], 1), ([0] * 4, [3, None], 1), ([3, 0, 0, 0], [None, None], 3),
])  # fmt: skip
@pytest.mark.parametrize("arguments", [[], ["--all"]])
def test_any_failure_is_the_exit_code_and_no_group_is_left_out(runs, arguments, codes, counts, expected):
    started = runs(codes, counts)
    assert testing.run(arguments) == expected
    live = csharp_tests.ALONE if arguments else csharp_tests.SMOKE
    # Unit tests of both languages run side by side, before anything is built. Live tests then run in pairs, while the
    # packages for the next tests are made; last come live tests alone, with pytest at the end. Only tests after `pack`
    # have packages, and a part says what it leaves out.
    assert started[0] is False and set(started[1:3]) == {(csharp_tests.UNITS, 2), ("pytest",)}
    built = [("pytest",), ("pytest", testing.PACKED)] if arguments else []
    last = testing.PACKED if arguments else testing.LEFT_OUT
    assert started[3:] == [*built, (live, 1), ("pytest", last)]


def test_a_build_that_fails_ends_the_tests(runs, monkeypatch):
    def fail():
        raise repo.BuildError("no")

    runs([0], [])
    monkeypatch.setattr(testing.dotnet, "set_up", fail)
    with pytest.raises(repo.BuildError, match="no"):
        testing.run(["--all"])


def test_what_tests_start_can_be_interrupted_though_a_shell_started_this_in_the_background(runs):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        runs([0], [])
        testing.run(["-k", "x"])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_unit_tests_alone_say_what_they_leave_out(runs, capfd):
    assert runs([0], [3]) is not None and testing.run(["--unit"]) == 0
    assert "left out: 7 live C# tests; `./build.sh test --all` runs them" in capfd.readouterr().out


def test_a_suite_that_has_lost_all_its_tests_fails_where_everything_runs(runs, capfd):
    runs([0] * 4, [0, 0])
    assert testing.run(["--all"]) == 1
    assert "no test ran of Some.Tests" in capfd.readouterr().out


def test_a_selection_runs_no_c_sharp_tests(runs):
    started = runs([4], [])
    assert testing.run(["-k", "x"]) == 4 and started == [True, ("pytest",)]


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize("arguments", [[], ["--all"]])
def test_lint_beside_other_tests_counts(runs, monkeypatch, arguments, passed):
    runs([0] * 4, [3, 1])
    said = type("Lint", (), {"ended": lambda self: (passed, "said")})()
    monkeypatch.setattr(testing, "_Beside", lambda verb, idle=False: said)
    assert testing.run([*arguments, "--lint"]) == (0 if passed else 1)


@pytest.fixture
def packing(monkeypatch, tmp_path):
    """packing(fails) makes a `pack` that prints two lines; it records the published programs."""
    published = []
    monkeypatch.setattr(repo, "CACHE", tmp_path)

    def be(fails):
        (tmp_path / "eng").mkdir()
        (tmp_path / "eng" / "build.py").write_text(f"import sys; print('one\\ntwo', sys.argv[1]); sys.exit({fails:d})")
        monkeypatch.setattr(repo, "ROOT", tmp_path)
        monkeypatch.setattr(testing.recorded, "publish", lambda: published.append("recorded"))
        monkeypatch.setattr(testing.wine, "lacking", lambda: None)
        monkeypatch.setattr(testing.wine, "set_up", lambda: published.append("for Windows"))
        return published

    return be


def test_what_tests_take_is_made_once_and_told(packing):
    published = packing(False)
    testing._publish()
    told = testing._packed(testing._Beside("pack", idle=True))
    assert published == ["recorded", "for Windows"]
    assert open(told[testing.PACKED]).read() == "one\ntwo pack\n"


def test_packages_that_cannot_be_made_are_left_to_their_tests(packing, monkeypatch, capfd):
    packing(True)

    def fail():
        raise repo.BuildError("no runtime")

    monkeypatch.setattr(testing.recorded, "publish", fail)
    testing._publish()
    assert testing._packed(testing._Beside("pack")) == {}
    said = capfd.readouterr().out
    assert "two pack" in said and "build: no runtime" in said


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


def test_failed_tests_are_repeated_with_their_messages(tmp_path):
    file, result = tmp_path / "test_x.py", tmp_path / "result.xml"
    file.write_text("def test_a():\n    assert 1 == 2\n\ndef test_b(nothing):\n    pass\n\ndef test_c():\n    pass\n")
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--junit-xml={result}", file], cwd=tmp_path, capture_output=True
    )
    failed, broken = testing.failures([result])
    assert failed == "FAILED test_x::test_a: assert 1 == 2"
    assert broken.startswith("FAILED test_x::test_b: failed on setup")
