"""Completion by Tab of verbs, options, words and captures: the shells' requests, and bash itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from poolscope.base.limits import POLICIES
from poolscope.cli.command import SECTIONS
from poolscope.cli.command import VERBS as SENTENCES
from poolscope.cli.command import poolscope

ANALYSIS = Path(__file__).resolve().parents[2]
VERBS = sorted(SENTENCES)


def ask(instruction, words=(), at=None, cwd=None):
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "_POOLSCOPE_COMPLETE": instruction}
    if at is not None:
        environment |= {"COMP_WORDS": "\n".join(["poolscope", *words]), "COMP_CWORD": str(at)}
    command = [sys.executable, "-m", "poolscope"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def offered(*words, cwd=None):
    """Returns (type, value) of what bash is offered for the last word."""
    lines = ask("bash_complete", words, len(words), cwd).splitlines()
    return [tuple(line.split(",", 1)) for line in lines if line]


def plain(*words, cwd=None):
    return [value for kind, value in offered(*words, cwd=cwd) if kind == "plain"]


@pytest.fixture
def captures(tmp_path):
    """Makes two captures in a folder, a zip beside it, and a file that is no capture."""
    for name in ("traces/slow", "traces/slower"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "capture.json").write_text("{}")
    (tmp_path / "traces" / "notes").mkdir()
    (tmp_path / "demo.zip").write_text("")
    (tmp_path / "readme.md").write_text("")
    (tmp_path / ".hidden.zip").write_text("")
    return tmp_path


def test_verbs():
    assert plain("") == [verb for verbs in SECTIONS.values() for verb in verbs]
    assert plain("rep") == ["report"]
    assert plain("zzz") == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_verb(verb):
    long = {
        o
        for p in poolscope.get_command(None, verb).params
        if isinstance(p, click.Option) and not p.hidden
        for o in p.opts
        if o[:2] == "--"
    }
    assert set(plain(verb, "--")) >= long
    assert "--output" in plain(verb, "--out") or "--output" not in long


def test_words_that_an_option_takes():
    assert plain("whatif", "--policy", "") == list(POLICIES)
    assert plain("whatif", "--policy", "net3") == ["net35"]
    assert plain("check", "x", "--fail-on", "") == ["high", "medium", "low"]


@pytest.mark.parametrize("verb", ["report", "attribute", "whatif", "check", "verify"])
def test_captures_come_before_other_files(verb, captures):
    assert plain(verb, "", cwd=captures) == ["demo.zip", "traces/slow", "traces/slower"]


def test_captures_that_begin_so(captures):
    assert plain("report", "tr", cwd=captures) == ["traces/slow", "traces/slower"]
    assert plain("report", "traces/", cwd=captures) == ["traces/slow", "traces/slower"]
    assert plain("report", "traces/slowe", cwd=captures) == ["traces/slower"]
    assert plain("report", f"{captures}/de", cwd="/") == [f"{captures}/demo.zip"]
    assert plain("report", ".h", cwd=captures) == [".hidden.zip"]


@pytest.mark.parametrize("begun", ["rea", "traces/n", "no/such/folder/x", "~/x"])
def test_where_no_capture_is_near_the_shell_offers_its_files(begun, captures):
    assert offered("report", begun, cwd=captures) == [("file", begun)]


def test_names_that_need_quotes_are_left_to_the_shell(captures):
    (captures / "traces" / "slow one; rm").mkdir()
    (captures / "traces" / "slow one; rm" / "capture.json").write_text("{}")
    assert offered("report", "traces/", cwd=captures) == [("file", "traces/")]


def test_an_output_is_any_file(captures):
    assert offered("report", "demo.zip", "-o", "de", cwd=captures) == [("file", "de")]


@pytest.mark.parametrize(
    ("shell", "says"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef poolscope"), ("fish", "--command poolscope")],
)
def test_the_scripts(shell, says):
    assert says in ask(f"{shell}_source")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_offered_the_same(shell):
    words = "poolscope\nrep" if shell == "zsh" else "poolscope rep"
    at = "1" if shell == "zsh" else "rep"
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "_POOLSCOPE_COMPLETE": f"{shell}_complete"}
    environment |= {"COMP_WORDS": words, "COMP_CWORD": at}
    said = subprocess.run([sys.executable, "-m", "poolscope"], capture_output=True, text=True, env=environment).stdout
    assert "report" in said and "attribute" not in said


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "reply"),
    [
        (["rep"], ["report"]),
        (["whatif", "--repl"], ["--replications"]),
        (["report", "traces/slowe"], ["traces/slower"]),
        (["report", "rea"], ["compopt -o default"]),
    ],
)
def test_in_bash(words, reply, captures):
    """The test loads the script and calls its function like bash."""
    program = captures / "bin" / "poolscope"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ANALYSIS}" exec "{sys.executable}" -m poolscope "$@"\n')
    program.chmod(0o755)
    line = " ".join(f"'{word}'" for word in ["poolscope", *words])
    script = f"""
        eval "$(_POOLSCOPE_COMPLETE=bash_source poolscope)"
        complete -p poolscope >&2
        compopt() {{ echo compopt "$@"; }}
        COMP_WORDS=({line}); COMP_CWORD={len(words)}
        _poolscope_completion poolscope '{words[-1]}' poolscope
        [ ${{#COMPREPLY[@]}} -eq 0 ] || printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, cwd=captures)
    assert done.stdout.splitlines() == reply, done.stderr
    assert "-F _poolscope_completion poolscope" in done.stderr


def test_it_answers_at_once():
    """Nothing that computes is imported: a Tab that takes a second does not help."""
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "_POOLSCOPE_COMPLETE": "bash_complete"}
    environment |= {"COMP_WORDS": "poolscope\nwhatif\n--", "COMP_CWORD": "2"}
    command = [sys.executable, "-X", "importtime", "-m", "poolscope"]
    said = subprocess.run(command, capture_output=True, text=True, env=environment).stderr
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert "poolscope.cli.options" in imported, "the verb itself was loaded"
    assert not {"numpy", "pandas", "plotly", "jinja2"} & imported
