"""`fuzz --guided`, without fuzzing: the tools it needs, the sources it builds, the counts it keeps."""

import json
import subprocess

import pytest

import guided_fuzzing
import repo
from guided_fuzzing import State


@pytest.fixture
def tools(monkeypatch):
    """Pretends that afl-fuzz and sharpfuzz are installed, and builds nothing."""
    monkeypatch.setattr(guided_fuzzing.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(guided_fuzzing.steps, "answers", lambda command, timeout: True)
    monkeypatch.setattr(guided_fuzzing, "build", lambda: None)


def one_line(arguments=()):
    with pytest.raises(repo.BuildError) as told:
        guided_fuzzing.run(list(arguments))
    assert "\n" not in str(told.value)
    return str(told.value)


def test_without_afl_fuzz_one_line_says_what_to_install(tools, monkeypatch):
    monkeypatch.setattr(guided_fuzzing.shutil, "which", lambda name: None)
    assert "afl++" in one_line()


def test_without_sharpfuzz_one_line_names_the_command(tools, monkeypatch, tmp_path):
    monkeypatch.setattr(guided_fuzzing, "TOOL", tmp_path / "sharpfuzz")
    monkeypatch.setattr(guided_fuzzing.steps, "answers", lambda command, timeout: False)
    assert "dotnet tool install SharpFuzz.CommandLine --version 2.3.0" in one_line()


def test_a_format_that_is_not_there_is_told(tools, monkeypatch):
    monkeypatch.setattr(guided_fuzzing, "_program", lambda *arguments: "runtime\nwaits\n")
    assert one_line(["--format", "etlx"]) == "no format etlx to fuzz with guidance; there are: runtime waits"


def test_the_copy_is_made_of_the_decoder_and_of_no_tests():
    names = {file.parent.name for file in guided_fuzzing._sources() if file.suffix == ".csproj"}
    assert {"Poolscope.Fuzz.Guided", "Poolscope.Fuzz", "Poolscope.Decode", "Poolscope.PerfEvents"} <= names
    assert not any("Tests" in name for name in names)
    assert not any("obj" in file.parts for file in guided_fuzzing._sources())


def test_nothing_that_is_built_otherwise_takes_sharpfuzz():
    def packages(project):
        lock = json.loads(project.with_name("packages.lock.json").read_text("utf-8"))
        return {name for framework in lock["dependencies"].values() for name in framework}

    assert "SharpFuzz" in packages(repo.GUIDED_FUZZING)
    assert [project for project in repo.projects() if "SharpFuzz" in packages(project)] == []


def test_inputs_of_all_runs_are_counted(monkeypatch, tmp_path):
    monkeypatch.setattr(guided_fuzzing, "STATE", tmp_path)
    state = State("runtime")
    assert state.total() == 0
    state.bytes.mkdir(parents=True)
    (state.bytes / "fuzzer_stats").write_text(
        "start_time        : 17\nexecs_done        : 200\nstability         : 99.8%\n"
    )
    guided_fuzzing._count(state.structured, "30 2500\n")
    guided_fuzzing._count(state.structured, "12 2501\n")
    assert (state.total(), state.executions(), state.statistics()["stability"]) == (242, 200, "99.8%")


def test_afl_fuzz_gets_its_limits_and_the_build_says_why_it_did_not_start(monkeypatch, tmp_path):
    monkeypatch.setattr(guided_fuzzing, "STATE", tmp_path)
    monkeypatch.setattr(repo, "CACHE", tmp_path)
    state = State("waits")
    state.structure.mkdir(parents=True)
    state.words.write_text('word_0="EventBlock"\n')
    started = []

    def refuses(command, *, env, stdout, **_):
        started.append((command, env))
        stdout.write(b"[-] PROGRAM ABORT : no memory\n")
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(guided_fuzzing.subprocess, "run", refuses)
    with pytest.raises(repo.BuildError, match="exit code 1 on waits:\n.*no memory"):
        guided_fuzzing._afl(state, ["--format", "waits"], 45, seed=3)
    ((command, env),) = started
    asked = dict(zip(command, command[1:]))
    assert (asked["-V"], asked["-t"], asked["-s"], asked["-x"]) == ("45", "30000", "3", str(state.words))
    assert env["AFL_AUTORESUME"] == env["AFL_NO_UI"] == env["AFL_SKIP_BIN_CHECK"] == "1"
    assert (state.structure / "is_main_node").is_file()
