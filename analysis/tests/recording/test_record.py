"""`poolscope record` with a script in place of the collector: the arguments it passes, and its use of the results."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.recording import Target, capture_folder, record
from synthetic import MS, CaptureBuilder

COLLECTOR = """#!{python}
import json, os, shutil, sys, time, signal
told = sys.argv[1:]
open({told!r}, "w").write(json.dumps(told))
plan = json.load(open({plan!r}))
if plan["waits"]:
    ended = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda got, _: ended.append(signal.Signals(got).name))
    open({told!r} + ".ready", "w").close()
    while len(ended) < plan["waits"]:
        time.sleep(0.02)
    open({told!r} + ".ended", "w").write(" ".join(sorted(ended)))
sys.stdout.write(plan["prints"])
sys.stdout.flush()
if plan["capture"]:
    shutil.copytree(plan["capture"], told[told.index("-o") + 1])
if plan["code"] < 0:
    os.kill(os.getpid(), -plan["code"])
sys.exit(plan["code"])
"""


DECODING = """#!{python}
import pathlib, sys, time
folder = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
folder.mkdir()
(folder / "capture.json").write_text('{{"status": "complete"}}')
deadline = time.monotonic() + 20
while time.monotonic() < deadline and not pathlib.Path({begun!r}).exists():
    time.sleep(0.02)
if pathlib.Path({begun!r}).exists():
    pathlib.Path({seen!r}).touch()
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Returns a function that sets what the collector does, and the file with the arguments passed to it."""
    builder = CaptureBuilder(tmp_path / "recorded", length=5000 * MS)
    for number in range(20):
        start = number * 100 * MS
        builder.item(start, start + MS // 10, start + 50 * MS, 200, [("running", 49 * MS)])
    builder.write()
    told, plan, program = tmp_path / "told.json", tmp_path / "plan.json", tmp_path / "poolscope-collect"
    program.write_text(COLLECTOR.format(python=sys.executable, told=str(told), plan=str(plan)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("POOLSCOPE_COLLECT", str(program))
    for name in ("app", "dotnet"):
        own = tmp_path / "bin" / name
        own.parent.mkdir(exist_ok=True)
        own.write_text("#!/bin/sh\n")
        own.chmod(0o755)
    monkeypatch.setenv("PATH", str(own.parent), prepend=os.pathsep)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def planned(code=0, capture=True, exit_code=None, waits=0, prints=""):
        file = tmp_path / "recorded" / "capture.json"
        manifest = json.loads(file.read_text())
        manifest["status"] = "complete"
        manifest["target"]["exit_code"] = exit_code
        file.write_text(json.dumps(manifest))
        told.unlink(missing_ok=True)
        source = str(tmp_path / "recorded") if capture else None
        plan.write_text(json.dumps({"code": code, "capture": source, "waits": waits, "prints": prints}))
        return told

    return planned


def words(told):
    return json.loads(told.read_text())


def test_one_command_records_judges_and_writes_the_page(stand_in, tmp_path, capsys):
    told = stand_in()
    assert run(["record", "-p", str(os.getpid()), "--duration", "5m", "--capture", "slow"]) == 0
    assert words(told) == ["collect", "-o", "slow", "--duration", "300", "-p", str(os.getpid())]
    out = capsys.readouterr().out.splitlines()
    assert out[-3].startswith("verdict: healthy")
    assert out[-2:] == ["report: slow.html", "capture: slow"]
    assert "<html" in (tmp_path / "work" / "slow.html").read_text()[:200]


def test_no_verdict_is_4_unless_a_command_has_an_exit_code_of_its_own(stand_in, monkeypatch):
    monkeypatch.setattr("poolscope.cli.options.NO_VERDICT", "healthy")
    stand_in(code=0, exit_code=0)
    assert run(["record", "-p", "1", "--capture", "slow"]) == 4
    assert run(["record", "--capture", "again", "--", "app"]) == 0


def test_options_of_the_collector_are_passed_on_as_they_are(stand_in, capsys):
    told = stand_in()
    given = ["--max-size", "5MB", "--no-waits", "--label", "a=1", "--label=b=2", "--kernel=none"]
    assert run(["record", "-n", "app", "--capture", "slow", *given]) == 0
    passed = ["--kernel=none", "--max-size=5MB", "--label=a=1", "--label=b=2", "--no-waits"]
    assert words(told) == ["collect", "-o", "slow", *passed, "-n", "app"]
    assert "warning" not in capsys.readouterr().err


def test_the_old_way_to_pass_an_option_on_works_with_a_line(stand_in, capsys):
    told = stand_in()
    assert run(["record", "-n", "app", "--capture", "slow", "--collect=--max-size=5MB", "--collect=--no-waits"]) == 0
    assert words(told) == ["collect", "-o", "slow", "--max-size=5MB", "--no-waits", "-n", "app"]
    said = [
        line
        for line in capsys.readouterr().err.splitlines()
        if line.startswith("warning: --collect is no longer needed")
    ]
    assert [line.rpartition(": ")[2] for line in said] == ["--max-size=5MB", "--no-waits"]


def test_a_command_keeps_its_own_options_and_its_exit_code(stand_in):
    told = stand_in(code=7, exit_code=7)
    assert run(["record", "--capture", "slow", "--", "dotnet", "app.dll", "-p", "80", "--duration", "x"]) == 7
    assert words(told)[3:] == ["--", "dotnet", "app.dll", "-p", "80", "--duration", "x"]


def test_a_command_that_the_recording_ended_fails_nothing(stand_in):
    stand_in(code=0, exit_code=143)
    assert run(["record", "--capture", "slow", "--duration", "2s", "--", "app"]) == 0


@pytest.mark.parametrize("code", [2, 3, 5, 130])
def test_a_failure_of_the_collector_keeps_its_code(code, stand_in, capsys):
    stand_in(code=code, capture=False)
    assert run(["record", "-p", "1", "--capture", "slow"]) == code
    assert not capsys.readouterr().err, "the collector has said why: one message for one error"


@pytest.mark.parametrize("code, said", [(134, "exit code 134"), (-9, "ended by SIGKILL")])
def test_a_collector_that_was_ended_had_no_time_to_say_why(code, said, stand_in, capsys):
    stand_in(code=code, capture=False)
    assert run(["record", "-p", "1", "--capture", "slow"]) == 5
    error = capsys.readouterr().err
    assert error.startswith("poolscope: nothing was recorded: ") and said in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "collectors, ours", [(3, 125), (5, 125), (125, 125), (2, 2), (126, 126), (127, 127), (130, 130)]
)
def test_with_a_command_a_failed_recording_is_125(collectors, ours, stand_in):
    stand_in(code=collectors, capture=False)
    assert run(["record", "--capture", "slow", "--", "app"]) == ours


@pytest.mark.parametrize(
    "word, code, said",
    [
        ("no-such-program", 127, "there is no program no-such-program"),
        ("./no-such-program", 127, "there is no program ./no-such-program"),
        ("tool", 127, "did you mean ./tool?"),
        (".", 126, "is a folder"),
        ("./notes.txt", 126, "is not executable"),
        ("app.dll", 126, "put `dotnet` before it"),
    ],
)
def test_a_command_that_cannot_be_started_is_said_before_anything_is_recorded(word, code, said, stand_in, capsys):
    told = stand_in()
    for name in ("tool", "notes.txt", "app.dll"):
        Path(name).write_text("")
    Path("tool").chmod(0o755)
    assert run(["record", "--capture", "slow", "--", word]) == code
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and not told.exists()


@pytest.mark.parametrize("wrong", ["app", "0", "-5", "4.5"])
def test_a_process_id_that_is_none_names_the_other_option(wrong, capsys):
    assert run(["record", f"-p{wrong}"]) == 2
    error = capsys.readouterr().err
    assert error == f"poolscope: -p takes the id of a process, not {wrong}; by name: -n {wrong}\n"


def test_a_command_with_options_needs_the_two_dashes(capsys):
    assert run(["record", "dotnet", "my app.dll", "--urls", "x"]) == 2
    said = "put -- before the command: poolscope record -- dotnet 'my app.dll' --urls x"
    assert capsys.readouterr().err == f"poolscope: {said}\n"


def test_an_option_that_record_does_not_take_is_no_command(capsys):
    assert run(["record", "--durration", "5s", "-p", "1"]) == 2
    assert "there is no option --durration; did you mean --duration?" in capsys.readouterr().err


def test_a_folder_that_is_not_empty_names_our_own_option(stand_in, capsys):
    told = stand_in()
    Path("slow").mkdir()
    Path("slow/notes.txt").write_text("")
    assert run(["record", "-p", "1", "--capture", "slow"]) == 2
    assert "choose another with --capture" in capsys.readouterr().err and not told.exists()


def test_json_has_stdout_for_itself(stand_in, capfd):
    stand_in(code=7, exit_code=7, prints="from the program")
    assert run(["record", "--capture", "slow", "--json", "--", "app"]) == 7
    out, error = capfd.readouterr()
    said = json.loads(out)
    assert set(said) == {"verdict", "report", "capture", "exit_code"} and set(said["verdict"]) == {
        "id",
        "text",
        "confidence",
    }
    assert (said["report"], said["capture"], said["exit_code"]) == ("slow.html", "slow", 7)
    assert "from the program" in error


@pytest.mark.parametrize("which", [[], ["-p", "1", "-n", "app"], ["-p", "1", "--", "app"]])
def test_one_process_and_no_more(which, capsys):
    assert run(["record", *which]) == 2
    assert "one of -p PID, -n NAME, or -- COMMAND" in capsys.readouterr().err


def test_the_page_is_not_written_into_the_capture(stand_in, capsys):
    stand_in()
    assert run(["record", "-p", "1", "--capture", "slow", "-o", "slow/page.html"]) == 2


def test_a_collector_that_is_named_and_is_not_there(monkeypatch, capsys):
    monkeypatch.setenv("POOLSCOPE_COLLECT", "/nowhere/poolscope-collect")
    assert run(["record", "-p", "1"]) == 2
    assert "no such program" in capsys.readouterr().err


@pytest.mark.parametrize(
    "signal_number, to_group, names",
    [
        (signal.SIGINT, True, "SIGINT SIGUSR1"),
        (signal.SIGTERM, True, "SIGTERM SIGUSR1"),
        (signal.SIGINT, False, "SIGUSR1"),
        (signal.SIGTERM, False, "SIGUSR1"),
    ],
    ids=["Ctrl-C", "service manager", "kill -INT", "kill"],
)
def test_a_signal_ends_the_recording_and_the_page_is_still_written(signal_number, to_group, names, stand_in, tmp_path):
    told = stand_in(waits=len(names.split()))
    # A process group of its own, like a terminal's foreground job: Ctrl-C reaches all of it.
    process = subprocess.Popen(
        [sys.executable, "-m", "poolscope", "record", "-p", "1", "--capture", "slow"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    ready = told.with_name(told.name + ".ready")
    until = time.monotonic() + 60
    while not ready.exists() and time.monotonic() < until:
        time.sleep(0.02)
    (os.killpg if to_group else os.kill)(process.pid, signal_number)
    out, _ = process.communicate(timeout=120)
    assert told.with_name(told.name + ".ended").read_text() == names
    assert process.returncode == 0
    assert "report: slow.html" in out


@pytest.mark.parametrize("fails", [False, True])
def test_other_work_runs_while_the_collector_decodes(fails, tmp_path):
    """The collector waits for the work, which begins when the manifest says that the recording is over."""
    begun, seen, program = tmp_path / "begun", tmp_path / "seen", tmp_path / "poolscope-collect"
    program.write_text(DECODING.format(python=sys.executable, begun=str(begun), seen=str(seen)))
    program.chmod(0o755)

    def work():
        begun.touch()
        if fails:
            raise ImportError("half an installation")

    recorded = record(program, Target(pid=os.getpid()), tmp_path / "capture", once_recorded=work)
    assert recorded.folder.is_dir() and seen.exists()


def test_a_capture_is_named_after_the_program_and_the_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = Target(command=("dotnet", "out/Shop.Orders.dll", "--urls", "http://127.0.0.1:0"))
    assert capture_folder(command).name.startswith("Shop.Orders-")
    assert capture_folder(command).suffix == ".poolscope"
    (tmp_path / "traces").mkdir()
    assert capture_folder(Target(name="app")).parent.name == "traces"
    assert Target(pid=os.getpid()).label.startswith("python") or "pytest" in Target(pid=os.getpid()).label
    assert Target(pid=2**22 + 1).label == f"process-{2**22 + 1}"
