"""Both commands follow docs/exit-codes.md, which is compared with the Python enumeration and the C# source."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from poolscope.__main__ import OUT_OF_MEMORY, run
from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError, UnreadableCapture
from poolscope.cli.command import VERBS, poolscope
from poolscope.recording.run import COLLECTORS_CODES
from synthetic import MS, CaptureBuilder

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
COLLECT = ROOT / "collector" / "Poolscope.Collect"
ROW = re.compile(r"^\| (?P<code>\d+) \| `(?P<name>\w+)` \| (?P<means>[^|]*)\|$", re.MULTILINE)
CONSTANT = re.compile(r"public const int (\w+) = (\d+);")
ONLY_CHECK, ONLY_OURS, ONLY_A_COMMAND = "only of `check`", "only of `poolscope`", "only of `record -- COMMAND`"


def rows():
    """Returns the enumeration's name and the sentence of each code on the page."""
    return {int(row["code"]): (row["name"], row["means"].strip()) for row in ROW.finditer(PAGE)}


def collectors():
    """Returns the names of the codes that the page lists for the collector."""
    return {code: name for code, (name, means) in rows().items() if ONLY_CHECK not in means and ONLY_OURS not in means}


def test_the_page_has_every_code_of_the_analysis():
    assert {code: name for code, (name, _) in rows().items()} == {code.value: code.name for code in ExitCode}


def test_the_page_has_every_code_of_the_collector_by_the_same_name():
    constants = CONSTANT.findall((COLLECT / "Errors" / "ExitCode.cs").read_text("utf-8"))
    assert len(constants) > 3
    assert collectors() == {int(code): re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper() for name, code in constants}


def test_record_knows_every_failure_of_the_collector():
    assert set(COLLECTORS_CODES) == set(collectors()) - {0}


def test_the_collectors_help_lists_the_same_codes():
    text = (COLLECT / "Commands" / "CommandTree.cs").read_text("utf-8")
    said = "".join(
        re.findall(r'"([^"]*)"', text[text.index('"Exit codes: ') : text.index("public static RootCommand")])
    )
    assert [int(code) for code in re.findall(r"\b(\d+) ", said)] == sorted(collectors())


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_the_help_of_a_verb_lists_codes_of_the_page(verb):
    epilog = poolscope.get_command(None, verb).epilog
    said = {int(code) for code in re.findall(r"\b(\d+)\b", epilog[epilog.index("Exit codes:") :])}
    ours = rows()
    special = {code for code, (_, cell) in ours.items() if ONLY_CHECK in cell or ONLY_A_COMMAND in cell}
    assert {0, 2, 3, 4, 5} <= said <= set(ours)
    own = {code for code in special if (ONLY_CHECK if verb == "check" else ONLY_A_COMMAND) in ours[code][1]}
    assert said & special == (own if verb in ("check", "record") else set())


def test_the_help_of_both_leads_to_the_page():
    assert "docs/exit-codes.md" in poolscope.epilog


@pytest.fixture
def no_verdict(tmp_path):
    """Makes a capture without a kernel stream in which an item was late, so its cause is unknown."""
    builder = CaptureBuilder(tmp_path / "blind", length=5000 * MS, kernel=False)
    builder.item(0, 3000 * MS, 4000 * MS, 200, [("running", 1000 * MS)])
    builder.write()
    return tmp_path / "blind"


@pytest.mark.parametrize("options", [["attribute"], ["attribute", "--json"], ["report", "-o", "page.html"]])
def test_a_verdict_that_cannot_be_told_is_4_after_all_was_said(options, no_verdict, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run([*options, str(no_verdict)]) == ExitCode.INSUFFICIENT
    out, error = capsys.readouterr()
    assert "cannot-tell" in out and not error
    assert options[0] != "report" or (tmp_path / "page.html").stat().st_size > 10_000


def made_by(cause):
    """Returns the exception that Python 3.11 makes of one in __set_name__, such as Ctrl-C during an import."""
    error = RuntimeError("Error calling __set_name__ on 'cached_property' instance 'x' in 'Y'")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "raised, code, said",
    [
        (UnreadableCapture("x"), 3, "poolscope: x\n"),
        (InvalidArgument("x"), 2, "poolscope: x\n"),
        (PoolscopeError("x", ExitCode.INSUFFICIENT, said=True), 4, ""),
        (KeyboardInterrupt(), 130, "poolscope: interrupted\n"),
        (made_by(KeyboardInterrupt()), 130, "poolscope: interrupted\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (OSError(28, "No space left on device"), 2, "poolscope: cannot write to stdout: No space left on device\n"),
        (MemoryError(), 5, f"poolscope: {OUT_OF_MEMORY}\n"),
        (
            RuntimeError("x"),
            5,
            "poolscope: internal error: RuntimeError: x (set POOLSCOPE_DEBUG=1 for the traceback)\n",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_ends_a_verb(raised, code, said, monkeypatch, capsys):
    def fail(*_):
        raise raised

    monkeypatch.delenv("POOLSCOPE_DEBUG", raising=False)
    monkeypatch.setattr("poolscope.cli.command.poolscope.invoke", fail)
    monkeypatch.setattr("poolscope.__main__.reader_is_gone", lambda: None)
    assert run(["report", "x"]) == code
    assert capsys.readouterr().err.lstrip("\n") == said


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_after_the_answer_does_not_deny_it():
    late = "atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    program = f"import atexit, os, signal\nfrom poolscope.__main__ import main\n{late}\nmain()"
    command = [sys.executable, "-c", program, "--version"]
    answer = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT / "analysis")
    assert (answer.returncode, answer.stderr) == (0, "") and answer.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_in_a_callback_ends_the_verb_all_the_same(tmp_path):
    program = """
import os, signal, time, weakref
import poolscope.__main__ as command

class Module:
    pass

def work(_):
    module = Module()
    reference = weakref.ref(module, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del module
    for _ in range(200):
        time.sleep(0.05)

command.poolscope.invoke = work
command.main()
"""
    command = [sys.executable, "-c", program, "report", "x"]
    answer = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT / "analysis", timeout=15)
    assert (answer.returncode, answer.stderr.lstrip("\n")) == (130, "poolscope: interrupted\n")
