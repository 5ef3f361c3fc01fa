"""The command matrix with the built collector, under both of its names."""

import os
import shlex
import subprocess
import sys
import zipfile

import pytest
from command_matrix import NO_PROCESS, RECORDERS, Row, answers, helps, of_captures, of_process, options, recorders
from live.conftest import COLLECT, ROOT, WORKLOADS
from poolscope.cli.command import FIRST_STEPS, poolscope

ANALYSIS = ROOT / "analysis"
WHOLE, ALONE = "poolscope", "poolscope-collect"
STARTS = {WHOLE: [sys.executable, "-m", "poolscope"], ALONE: [str(COLLECT)]}

pytestmark = pytest.mark.built


def walk(name, rows, folder):
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "POOLSCOPE_COLLECT": str(COLLECT)}
    for row in rows:
        command = [*STARTS[name], *row.words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, env=environment)
        row.judge(name, done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("name", [WHOLE, pytest.param(ALONE, marks=pytest.mark.smoke)])
def test_the_verbs_of_the_collector(name, tmp_path):
    walk(name, [*helps(RECORDERS), *options(RECORDERS), *recorders(name == WHOLE)], tmp_path)
    assert not list(tmp_path.iterdir()), "nothing is written"


@pytest.mark.smoke
def test_tab_and_the_environment_of_what_is_started(tmp_path):
    """`poolscope` does not start the programs that the collector starts, so their environment must not say that it
    did."""
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "POOLSCOPE_COLLECT": str(COLLECT)}

    def said(*words, **more):
        settings = {"capture_output": True, "text": True, "cwd": tmp_path, "env": {**environment, **more}}
        return subprocess.run([*STARTS[WHOLE], *words], **settings).stdout.splitlines()

    seen = said("collect", "--", "env")
    assert any(line.startswith("PATH=") for line in seen)
    assert not [line for line in seen if line.startswith("POOLSCOPE_CALLER")]
    for typed, offered in (("watch --w", "--when"), ("collect --kernel tr", "tracepoint"), ("top --dur", "--duration")):
        words = ["poolscope", *typed.split()]
        asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
        assert said(_POOLSCOPE_COMPLETE="bash_complete", **asked) == [f"plain,{offered}"]


def test_the_verbs_that_read_a_capture(tmp_path):
    for name, golden in (("slow", "injection-delay"), ("well", "healthy")):
        with zipfile.ZipFile(ROOT / "traces" / "golden" / f"{golden}.zip") as archive:
            archive.extractall(tmp_path / name)
    walk(WHOLE, of_captures("slow", "well"), tmp_path)


@pytest.mark.parametrize("name", [WHOLE, ALONE])
def test_the_verbs_that_look_at_a_process(name, tmp_path):
    ticket = [str(WORKLOADS), "run", "ticket", "--count", "400", "--work-ms", "1000"]
    with subprocess.Popen(ticket, stdout=subprocess.DEVNULL) as process:
        try:
            rows = of_process(process.pid)
            if name == WHOLE:
                record = f"record -p {process.pid} --duration 2s --capture slow -o page.html --json"
                rows.append(answers(record, 0, 4))
            walk(name, rows, tmp_path)
        finally:
            process.kill()


def test_examples_of_the_collectors_verbs_parse(tmp_path):
    """The process does not exist, so the examples end before they do anything."""
    lines = [line.split("   ")[0] for line in map(str.strip, f"{poolscope.help}\n{FIRST_STEPS}".splitlines())]
    found = [shlex.split(line)[1:] for line in lines if line.startswith("poolscope ")]
    rows = []
    for verb, option, _process, *others in [words for words in found if words[0] in RECORDERS]:
        assert option in ("-p", "-n")
        rows.append(Row((verb, "-p", NO_PROCESS, *others), (3,), (f"there is no process {NO_PROCESS}",)))
    assert len(rows) >= 3
    walk(WHOLE, rows, tmp_path)
