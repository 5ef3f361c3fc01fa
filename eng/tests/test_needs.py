"""Each verb installs only what it uses."""

import threading

import pytest

import browser
import debian
import dotnet
import export_readers
import launchers
import native_code
import needs
import plotly_bundle
import powershell
import python_env
import repo
import steps
import testing
import verbs
import wine
from needs import Needs


@pytest.fixture
def brought(monkeypatch):
    """Returns the parts that a set-up brought up to date, each with its argument."""
    did = []
    for part in (browser, export_readers, native_code, plotly_bundle):
        monkeypatch.setattr(part, "set_up", lambda part=part: did.append(part.__name__) or False)
    monkeypatch.setattr(dotnet, "set_up", lambda everything: did.append(f"dotnet {everything}") or True)
    monkeypatch.setattr(python_env, "set_up", lambda development: did.append(f"python {development}") or False)
    monkeypatch.setattr(wine, "install", lambda: did.append("wine") or False)
    monkeypatch.setattr(powershell, "install", lambda: did.append("powershell") or False)
    monkeypatch.setattr(dotnet, "check_sdk", lambda: did.append("check"))
    monkeypatch.setattr(launchers, "write", lambda: did.append("launchers"))
    return did


def test_a_demo_takes_neither_browsers_nor_tests_nor_readers(brought):
    verbs.VERBS["demo"].sets_up([])
    assert sorted(brought[1:-1]) == ["dotnet False", "native_code", "plotly_bundle", "python False"]


def test_the_sdk_is_looked_for_first_and_launchers_come_last(brought):
    assert needs.set_up(Needs.EVERYTHING)
    assert (brought[0], brought[-1]) == ("check", "launchers")
    assert {"browser", "export_readers", "dotnet True", "python True"} <= set(brought)
    # The browsers bring npm, and the extension is made for the Python that was set up.
    for earlier, later in (("browser", "export_readers"), ("browser", "plotly_bundle"), ("python True", "native_code")):
        assert brought.index(earlier) < brought.index(later)


@pytest.mark.parametrize(("arguments", "browsers"), [
    ([], True), (["--unit"], False), (["--all", "--lint"], True), (["-m", "slow"], True), (["--unit", "-k", "x"], True),
])  # fmt: skip
def test_unit_tests_wait_for_no_browser(brought, arguments, browsers):
    needs.set_up(testing.needed(arguments))
    assert ("browser" in brought) == browsers and "dotnet True" in brought and "export_readers" in brought
    assert Needs.DEVELOPMENT in testing.needed(arguments)


@pytest.mark.parametrize("arguments", [[], ["--unit"], ["-k", "x"], ["--all", "--lint"]])
def test_only_the_whole_of_the_tests_brings_wine_and_powershell(brought, arguments):
    needs.set_up(testing.needed(arguments))
    assert ("wine" in brought) == ("powershell" in brought) == ("--all" in arguments)


def refuse(*_):
    raise repo.BuildError("no archive answers")


@pytest.mark.parametrize(("install", "said"), [(lambda _: False, "apt needs root"), (refuse, "no archive answers")])
def test_without_wine_the_set_up_goes_on_and_says_so(monkeypatch, capsys, install, said):
    monkeypatch.setattr(wine.shutil, "which", lambda _: None)
    monkeypatch.setattr(wine.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(debian, "available", lambda: True)
    monkeypatch.setattr(debian, "install_these", install)
    assert wine.install()
    assert said in capsys.readouterr().out and "Wine is not installed here" in str(wine.lacking())


def test_without_powershell_the_set_up_goes_on_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr(powershell, "find", lambda: None)
    monkeypatch.setattr(steps, "run", refuse)
    assert powershell.install()
    assert "tests of build.ps1: skipped without PowerShell: no archive answers" in capsys.readouterr().out


def test_what_is_compiled_can_wait(brought):
    needs.set_up(Needs.EVERYTHING, building=False)
    assert "python True" in brought and "dotnet True" not in brought


@pytest.mark.parametrize("verb", ["docs", "lock", "setup", "test"])
def test_some_verbs_set_nothing_up_beforehand(brought, verb):
    verbs.VERBS[verb].sets_up([])
    assert brought == []


def test_the_chains_run_side_by_side(brought, monkeypatch):
    both = threading.Barrier(2, timeout=30)
    monkeypatch.setattr(dotnet, "set_up", lambda everything: bool(both.wait() + 1))
    monkeypatch.setattr(python_env, "set_up", lambda development: bool(both.wait() + 1))
    assert needs.set_up(Needs.RECORDING)


def test_one_part_that_fails_ends_the_set_up(brought, monkeypatch):
    def fail():
        raise repo.BuildError("no")

    monkeypatch.setattr(native_code, "set_up", fail)
    with pytest.raises(repo.BuildError, match="no"):
        needs.set_up(Needs.RECORDING)
    assert "launchers" not in brought


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Returns the published programs, with the stamps in a separate folder."""
    did = []
    cache, keep, know = tmp_path / "cache", steps.once, steps.is_done
    monkeypatch.setattr(repo, "venv_python", lambda *_: tmp_path)
    for name in ("COLLECT", "WORKLOADS", "SERVICE"):
        monkeypatch.setattr(repo, name, tmp_path)
    monkeypatch.setattr(repo, "test_suites", lambda: [])
    monkeypatch.setattr(repo, "csharp_sources", lambda: [])
    monkeypatch.setattr(steps, "once", lambda *given: keep(*given, cache=cache))
    monkeypatch.setattr(steps, "is_done", lambda *given, **_: know(*given, cache=cache))
    monkeypatch.setattr(python_env, "make", lambda development=True: did.append(development))
    monkeypatch.setattr(dotnet, "build", lambda: did.append(True))
    monkeypatch.setattr(dotnet, "build_programs", lambda: did.append(False))
    return did


@pytest.mark.parametrize("part", [python_env.set_up, dotnet.set_up])
def test_the_whole_holds_the_part_and_not_the_other_way_round(made, part):
    assert part(False) and not part(False)
    assert part(True) and not part(True) and not part(False)
    assert made == [False, True]


def test_debian_has_what_the_package_itself_asks_for():
    names = [requirement.partition(">")[0] for requirement in python_env.runtime_requirements()]
    assert sorted(f"python3-{name}" for name in names) == sorted(debian.RUNTIME)
    assert set(debian.RUNTIME) < set(debian.PACKAGES)
