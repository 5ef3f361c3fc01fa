"""Verbs of the collector under `poolscope`: the process becomes the collector, here a script that prints its
arguments."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from poolscope.base.errors import ExitCode
from poolscope.cli.command import SENTENCES

ANALYSIS = Path(__file__).resolve().parents[2]
COLLECTOR = """#!{python}
import json, os, sys, time
if sys.argv[1].startswith("[suggest"):
    print("--output\\n--duration\\n/etc", end="")
    sys.exit(0)
print(json.dumps([os.getpid(), sys.argv[1:], os.environ.get("POOLSCOPE_CALLER"), sys.stdin.read()]), flush=True)
print("said on stderr", file=sys.stderr)
if "--wait" in sys.argv:
    time.sleep(30)
sys.exit(int(os.environ.get("ENDS_WITH", "0")))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script with a first line")


@pytest.fixture
def collector(tmp_path):
    """Returns the environment in which the script is the collector."""
    program = tmp_path / "collector"
    program.write_text(COLLECTOR.format(python=sys.executable))
    program.chmod(0o755)
    return {**os.environ, "PYTHONPATH": str(ANALYSIS), "POOLSCOPE_COLLECT": str(program)}


def started(environment, *words, **settings):
    return subprocess.Popen([sys.executable, "-m", "poolscope", *words], env=environment, text=True, **settings)


def ran(environment, *words, typed=""):
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(environment, *words, **streams) as process:
        out, error = process.communicate(typed)
    return process, out, error


@pytest.mark.parametrize("verb", sorted(SENTENCES))
def test_every_word_after_the_verb_is_the_collectors(verb, collector):
    words = ["-p", "x", "--help", "--no-such-option", "", "a b", "--", "-h", "--version"]
    process, out, error = ran(collector, verb, *words, typed="typed")
    pid, told, caller, typed = json.loads(out)
    assert (told, caller, typed, error) == ([verb, *words], "poolscope", "typed", "said on stderr\n")
    assert pid == process.pid, "no process stands between the terminal and the collector"


@pytest.mark.parametrize("code", [0, 2, 3, 130])
def test_the_exit_code_is_the_collectors(code, collector):
    assert ran({**collector, "ENDS_WITH": str(code)}, "doctor")[0].returncode == code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_collector(number, collector):
    with started(collector, "watch", "--wait", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        time.sleep(0.05)
        process.send_signal(number)
        process.communicate(timeout=10)
    assert process.returncode in (-number, 1), "a traceback of the script's own for Ctrl-C, else the signal"


def test_what_python_ignores_the_collector_does_not(tmp_path, collector):
    """SIGPIPE, as seen by a program that changes no signal."""
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\ngrep SigIgn /proc/$$/status\n")
    plain.chmod(0o755)
    out = ran({**collector, "POOLSCOPE_COLLECT": str(plain)}, "ps")[1]
    assert not int(out.split()[1], 16) >> (signal.SIGPIPE - 1) & 1


def test_a_collector_that_cannot_be_run_is_one_line(tmp_path, collector):
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    process, out, error = ran({**collector, "POOLSCOPE_COLLECT": str(broken)}, "ps")
    assert (process.returncode, out) == (ExitCode.UNREADABLE, "")
    assert error == f"poolscope: {broken} cannot be run: No such file or directory\n"


def test_without_a_collector_the_line_says_how_to_install_it(tmp_path, collector):
    process, out, error = ran({**collector, "POOLSCOPE_COLLECT": str(tmp_path / "nowhere")}, "ps")
    assert (process.returncode, out) == (ExitCode.USAGE, "")
    assert error == f"poolscope: POOLSCOPE_COLLECT={tmp_path}/nowhere: no such program\n"


def test_tab_offers_what_the_collector_does_and_else_files(collector):
    def offered(*words):
        typed = {"COMP_WORDS": "\n".join(["poolscope", *words]), "COMP_CWORD": str(len(words))}
        return ran({**collector, **typed, "_POOLSCOPE_COMPLETE": "bash_complete"})[1].splitlines()

    assert offered("watch", "--") == ["plain,--output", "plain,--duration"]
    assert offered("watch", "--zzz") == ["file,--zzz"]
    assert offered("decode", "tra") == ["file,tra"]
    assert offered("wat") == ["plain,watch"]
