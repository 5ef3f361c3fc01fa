"""The decisions of setup: when to skip a step, what to install, what to refuse."""

import os
import re
import subprocess
import sys
import zipfile

import pytest

import debian
import dotnet
import python_env
import repo
import steps
import zoo_runs


def test_a_step_is_done_once_for_the_same_inputs(tmp_path):
    output, runs = tmp_path / "out", []

    def work():
        runs.append(1)
        output.touch()

    assert steps.once("s", "key", [output], work, cache=tmp_path)
    assert not steps.once("s", "key", [output], work, cache=tmp_path)
    assert steps.once("s", "another key", [output], work, cache=tmp_path)
    output.unlink()
    assert steps.once("s", "another key", [output], work, cache=tmp_path), "what it made is gone"
    assert len(runs) == 3


def test_a_step_that_failed_is_tried_again(tmp_path):
    def fail():
        raise repo.BuildError("no")

    steps.once("s", "old", [], lambda: None, cache=tmp_path)
    with pytest.raises(repo.BuildError):
        steps.once("s", "new", [], fail, cache=tmp_path)
    assert steps.once("s", "old", [], lambda: None, cache=tmp_path), "the failure may have undone the old success"


def test_the_digest_sees_content_and_names_and_words(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("1")
    b.write_text("1")
    seen = {steps.digest([a]), steps.digest([b]), steps.digest([a, b]), steps.digest([a], "w")}
    a.write_text("2")
    seen.add(steps.digest([a]))
    assert len(seen) == 5


def test_the_build_depends_on_every_source_and_on_nothing_that_it_makes():
    sources = [file.relative_to(repo.ROOT).as_posix() for file in repo.csharp_sources()]
    assert {"traces/schema.json", "Directory.Packages.props", "global.json"} <= set(sources)
    assert "traces/Poolscope.Tables/Schema.cs" in sources
    assert not [file for file in sources if file.startswith("artifacts/") or "/obj/" in file]


def test_the_solution_names_every_project():
    """A project outside the solution is neither built nor tested, and no step reports that.

    The exceptions are targets that run on several runtimes, which the verb `zoo` and the live tests publish, and the
    projects that `fuzz --guided` and `bench look` build themselves.
    """
    on_disk = {
        file
        for folder in ("bench", "collector", "workloads", "traces")
        for file in (repo.ROOT / folder).rglob("*.csproj")
    }
    published = {
        *zoo_runs.PROJECT.glob("*.csproj"),
        repo.REAL_ZOO,
        repo.ROOT / "collector" / "Poolscope.Collect.Tests.Runtimes" / "Poolscope.Collect.Tests.Runtimes.csproj",
    }
    census = repo.ROOT / "bench" / "Poolscope.QueueCensus" / "Poolscope.QueueCensus.csproj"
    assert on_disk == {*repo.projects(), *published, repo.GUIDED_FUZZING, census}
    assert all("<TargetFrameworks>" in project.read_text("utf-8") for project in published)


def test_a_failing_command_shows_what_it_said_and_a_good_one_does_not(capfd):
    steps.run("quiet test step", ["sh", "-c", "echo secret"])
    out = capfd.readouterr().out
    assert "secret" not in out and out.startswith("quiet test step: done (")
    with pytest.raises(repo.BuildError, match="exit code 3"):
        steps.run("quiet test step", ["sh", "-c", "echo reason; exit 3"])
    assert "reason" in capfd.readouterr().out


def test_debian_has_all_that_the_package_asks_for():
    names = [re.match(r"[a-z0-9_-]+", requirement)[0] for requirement in python_env.requirements()]
    assert len(names) > 8
    for name in names:
        assert name in debian.PACKAGES or f"python3-{name}" in debian.PACKAGES, name


def test_without_root_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(debian, "missing", lambda packages: ["python3-pandas", "black"])
    monkeypatch.setattr(debian, "_superuser", lambda: None)
    with pytest.raises(repo.BuildError) as error:
        debian.install()
    assert "sudo apt-get install python3-pandas black" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture
def index(monkeypatch, tmp_path):
    """Makes a package index with one tiny package, under the name that setup requests first."""
    monkeypatch.setattr(repo, "VENV", tmp_path / "venv")
    monkeypatch.setattr(python_env, "requirements", lambda: [f"{python_env.PROBE}>=8.1"])
    if not python_env._can_import(getattr(sys, "_base_executable"), "ensurepip"):
        pytest.skip("this Python cannot put pip into an environment")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    info = f"{python_env.PROBE}-8.1.3.dist-info"
    with zipfile.ZipFile(tmp_path / f"{python_env.PROBE}-8.1.3-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{python_env.PROBE}.py", "here = True")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {python_env.PROBE}\nVersion: 8.1.3\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return tmp_path


def test_an_index_that_answers_fills_the_environment(index):
    python_env.make()
    ask = f"import {python_env.PROBE} as p, sys; print(p.here, p.__file__.startswith(sys.prefix), *sys.path, sep='\\n')"
    told = subprocess.run([repo.venv_python(repo.VENV), "-c", ask], capture_output=True, text=True).stdout.splitlines()
    assert told[:2] == ["True", "True"]
    assert str(repo.PYPROJECT.parent) in told, "`import poolscope` works from the source tree"


def test_an_index_that_has_nothing_is_not_used(index):
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    assert not python_env._from_index()


def test_without_index_and_apt_one_line_says_so(monkeypatch):
    monkeypatch.setattr(python_env, "_from_index", lambda development: False)
    monkeypatch.setattr(debian, "available", lambda: False)
    with pytest.raises(repo.BuildError, match="does not answer"):
        python_env.make()


def test_without_dotnet_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(repo.BuildError, match="install the .NET SDK 10"):
        dotnet.check_sdk()


@pytest.mark.skipif(repo.WINDOWS, reason="the stand-in is a shell script")
def test_a_dotnet_without_a_fitting_sdk_is_named(monkeypatch, tmp_path):
    stand_in = tmp_path / "dotnet"
    stand_in.write_text('#!/bin/sh\ntest "$1" = --list-sdks && echo "8.0.404 [/opt/dotnet/sdk]" && exit 0\nexit 145\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(repo.BuildError, match=r"here: 8\.0\.404"):
        dotnet.check_sdk()
