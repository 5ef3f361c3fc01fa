"""build.sh and build.ps1 only start the engine. Windows PowerShell 5 does not run here, so its rules are checked in the
text; test_build_powershell.py runs PowerShell 7."""

import os
import re
import subprocess
import sys

import pytest

import repo

SH = repo.ROOT / "build.sh"
PS1 = repo.ROOT / "build.ps1"


def code_lines(path):
    lines = [line.strip() for line in path.read_text(encoding="ascii").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("launcher", [SH, PS1])
def test_is_short(launcher):
    assert len(launcher.read_text().splitlines()) <= 25


@pytest.mark.parametrize("launcher", [SH, PS1])
def test_names_the_engine_once(launcher):
    assert launcher.read_text().count("eng/build.py") == 1
    assert (repo.ROOT / "eng" / "build.py").is_file()


@pytest.mark.parametrize("launcher", [SH, PS1])
def test_has_no_logic(launcher):
    words = r"\b(if|else|elseif|elif|case|switch|for|foreach|while|until|do|function|param|try|trap|test)\b"
    for line in code_lines(launcher):
        assert not re.search(words, line, re.IGNORECASE), line
        assert not re.search(r"\|\||&&|\||;|`", line), line


def test_powershell_forwards_arguments_and_exit_code():
    lines = code_lines(PS1)
    call = [line for line in lines if "eng/build.py" in line]
    assert call[0].startswith("& ") and call[0].endswith(" @args")
    assert "$PSScriptRoot" in call[0], "found from any folder"
    assert lines[-1] == "exit $LASTEXITCODE"
    # Without it a missing python is only a message, and `exit $null` is success.
    assert lines[0] == "$ErrorActionPreference = 'Stop'"


def test_powershell_is_safe_for_windows_powershell_5():
    text = "\n".join(code_lines(PS1))
    seven_only = (
        r"\?\?=?|\?\.|\?\[|&&|\|\||\bclean\s*\{|\$Is(Windows|Linux|MacOS)\b|-Parallel\b|\$PSStyle|\s\?\s.*\s:\s"
    )
    assert not re.search(seven_only, text)
    # Join-Path takes two parts in PowerShell 5, and no -AdditionalChildPath.
    assert re.findall(r"Join-Path[^)]*", text) == ["Join-Path $PSScriptRoot 'eng/build.py'"]
    # Without a byte order mark it reads a file in the machine's old code page.
    assert PS1.read_bytes().isascii()


@pytest.mark.skipif(repo.WINDOWS, reason="build.sh is for Unix")
def test_shell_forwards_arguments_and_exit_code_from_any_folder(tmp_path):
    """A fake python3 on PATH prints the arguments that the launcher passed."""
    stand_in = tmp_path / "python3"
    stand_in.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 23\n')
    stand_in.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [str(SH), "test", "--", "-k", "two words", ""]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    engine, *arguments = re.findall(r"<([^>]*)>", done.stdout)
    assert os.path.samefile(engine, repo.ROOT / "eng" / "build.py")
    assert arguments == ["test", "--", "-k", "two words", ""]
    assert done.returncode == 23


def engine(*arguments):
    command = [sys.executable, str(repo.ROOT / "eng" / "build.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_unknown_verb_is_one_line_and_exit_2():
    done = engine("bnech")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "'bnech'" in done.stderr


def test_no_verb_lists_the_verbs_and_is_exit_2():
    done = engine()
    assert done.returncode == 2
    assert all(verb in done.stdout for verb in ("setup", "demo", "test", "lint"))
    assert engine("--help").returncode == 0


def test_arguments_that_a_verb_does_not_take_are_refused():
    done = engine("lint", "--fix")
    assert done.returncode == 2
    assert "--fix" in done.stderr


def test_an_old_python_is_told_so_in_one_line():
    script = f"import runpy, sys; sys.version_info = (3, 9, 2, 'final', 0); sys.argv = ['build.py', 'setup']; \
runpy.run_path({str(repo.ROOT / 'eng' / 'build.py')!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "build: this is Python 3.9: install Python 3.11 or newer and put it on PATH\n"


def test_an_old_python_can_read_the_engines_first_file():
    import ast

    ast.parse((repo.ROOT / "eng" / "build.py").read_text(), feature_version=(3, 6))
