"""The command's output on a terminal, into a pipe, on a full disk, and without a reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from poolscope.cli import terminal

ANALYSIS = Path(__file__).resolve().parents[2]


def shown(monkeypatch, capsys, **environment):
    """Returns the console's output for a red word with these environment variables."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal.console().print("[bold red]word[/]")
    return capsys.readouterr().out


def test_colour_where_a_terminal_shows_it(monkeypatch, capsys):
    assert shown(monkeypatch, capsys, FORCE_COLOR="1", TERM="xterm") != "word\n"


@pytest.mark.parametrize(
    "environment",
    [{"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "xterm"}, {"FORCE_COLOR": "1", "TERM": "dumb"}],
    ids=["NO_COLOR", "no terminal", "a dumb one"],
)
def test_no_colour_elsewhere(environment, monkeypatch, capsys):
    assert shown(monkeypatch, capsys, **environment) == "word\n"


def test_tables_are_not_cut_where_nobody_knows_how_wide_it_is(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal.console().width == terminal.WIDTH


@pytest.mark.parametrize(
    "watched, term, expected", [(True, "xterm", "\r\033[Ka\r\033[K"), (True, "dumb", ""), (False, "xterm", "")]
)
def test_progress_is_for_who_watches(watched, term, expected, monkeypatch, capsys):
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    # click strips control sequences if it does not recognise the output as a terminal.
    monkeypatch.setattr(terminal.click, "echo", lambda text, nl, err: sys.stderr.write(text))
    terminal.progress("a")
    terminal.progress_over()
    assert capsys.readouterr() == ("", expected)


def test_no_verb_writes_control_sequences_of_its_own():
    with_some = [path.name for path in (ANALYSIS / "poolscope" / "cli").glob("*.py") if "\\033" in path.read_text()]
    assert with_some == ["terminal.py"]


def command(arguments, **settings):
    words = [sys.executable, "-m", "poolscope", *arguments]
    return subprocess.Popen(words, cwd=ANALYSIS, stderr=subprocess.PIPE, **settings)


def test_a_reader_that_goes_away_is_no_failure():
    reading, writing = os.pipe()
    os.close(reading)
    process = command(["--help"], stdout=writing)
    os.close(writing)
    assert (process.communicate()[1], process.returncode) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "wb") as full:
        process = command(["--version"], stdout=full)
        error = process.communicate()[1]
    assert (error, process.returncode) == (b"poolscope: cannot write to stdout: No space left on device\n", 2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_stdout_that_is_closed_is_no_failure():
    words = ["sh", "-c", '"$0" -m poolscope --version >&-', sys.executable]
    done = subprocess.run(words, cwd=ANALYSIS, capture_output=True)
    assert (done.stderr, done.returncode) == (b"", 0)


def test_a_stream_that_cannot_encode_a_character_shows_a_question_mark():
    script = "from poolscope.cli.terminal import *; print_anywhere(); print('\\u2265 2')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ANALYSIS,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.stdout.strip(), done.stderr) == (b"? 2", b"")


class Gone(RuntimeError):
    pass


@pytest.mark.parametrize("end", [BrokenPipeError, SystemExit, Gone])
def test_the_exit_code_outlives_the_reader(end, monkeypatch):
    gone = []
    monkeypatch.setattr(terminal, "reader_is_gone", lambda: gone.append(True))

    def printing():
        with terminal.even_if_nobody_reads():
            try:
                raise BrokenPipeError(32, "Broken pipe")
            except BrokenPipeError:
                if end is BrokenPipeError:
                    raise
                raise end(1)

    if end is Gone:
        with pytest.raises(Gone):
            printing()
    else:
        printing()
    assert gone == ([] if end is Gone else [True])
