"""Programs that live tests record are published once for each runtime, before any test records."""

import pytest
from poolscope.base.runtimes import TESTED

import recorded
import repo
import steps
import zoo_runs


@pytest.fixture
def published(monkeypatch, tmp_path):
    """Returns the folders that were published to."""
    folders = []
    monkeypatch.setattr(recorded, "PUBLISHED", tmp_path / "runtimes")
    keep = steps.once
    monkeypatch.setattr(steps, "once", lambda *given: keep(*given, cache=tmp_path / "cache"))

    def make(name, command, env):
        folders.append(command[command.index("-o") + 1])
        program = tmp_path / "runtimes" / name.removeprefix("runtimes-") / "runtimes-target"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch()

    monkeypatch.setattr(steps, "run", make)
    return folders


def test_a_program_is_published_once_for_each_runtime(published):
    programs = [recorded.program(f"net{version}.0") for version in (*TESTED, *TESTED)]
    assert all(program.is_file() for program in programs)
    assert published == [str(program.parent) for program in programs[: len(TESTED)]]


def test_every_runtime_that_is_tested_is_published_beforehand(published, monkeypatch):
    zoo: list[object] = []
    monkeypatch.setattr(zoo_runs, "publish", zoo.append)
    monkeypatch.setattr(zoo_runs, "publish_real", zoo.append)
    recorded.publish()
    assert {folder.rpartition("/")[2] for folder in published} == {f"net{version}.0" for version in TESTED}
    assert zoo == [recorded.ZOO, recorded.ZOO]


def test_its_sources_are_there():
    assert (recorded.PROJECT / "Program.cs").is_file() and recorded.PROJECT.is_relative_to(repo.ROOT)
