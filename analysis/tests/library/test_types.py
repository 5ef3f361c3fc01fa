"""The package is typed for its users: mypy --strict passes good scripts and finds mistakes in bad ones."""

import doctest
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("mypy")
pytestmark = pytest.mark.built
"""Takes a minute if `lint` has not filled mypy's cache."""

ROOT = Path(__file__).resolve().parents[3]
ANALYSIS = ROOT / "analysis"

SCRIPT = '''
"""A gate over many captures."""

import sys
from pathlib import Path

import poolscope
from poolscope import Capture, Coverage, Finding, Outcome, PoolscopeError, Prediction, Verdict, WhatIf


def judge(folder: Path) -> list[str]:
    try:
        capture: Capture = poolscope.open(folder)
        verdict: Verdict = capture.verdict()
        findings: list[Finding] = capture.findings()
        shown: poolscope.Findings = capture.findings()
        coverage: Coverage = capture.coverage()
        outcomes: list[Outcome] = capture.check("high", "wait.p99>100ms")
        answer: WhatIf = capture.whatif(min_threads=range(2, 9), load=1.5, progress=lambda label: None)
    except poolscope.InsufficientEvidence as error:
        return [f"cannot tell: {error}"]
    except PoolscopeError as error:
        sys.exit(error.exit_code)
    best: Prediction | None = answer.knee
    threads: int = 0 if best is None else best.peak_threads
    seconds: float = sum(finding.item_seconds for finding in findings)
    start, stop = capture.window
    length: int = stop - start
    story: str = capture.worst_items(1, units="ms", times="timestamp")["story"].iloc[0][0][1]
    slowest: str = str(capture.by_method(units="s").index[0]) + str(capture.by_kind().index[0])
    names: list[str] = [name for name in capture.tables]
    page: str = capture.report(folder / "page.html", redact=True)
    failed = any(outcome.status == "failed" for outcome in outcomes)
    return [verdict.text, f"{threads} {seconds} {length} {coverage.items}", story, slowest, repr(shown), *names, page, str(failed)]
'''

WRONG = """
import poolscope

poolscope.opne("x")
capture = poolscope.open(7)
capture.atribute()
capture.verdict().confidnce
capture.worst_items("3")
capture.by_method(units="hours")
capture.attribute(times="utc")
capture.whatif(8)
capture.whatif(threads=8)
capture.whatif(cores="2")
capture.check(3)
capture.tables[3]
capture.stack(1).upper()
"""


def mypy(folder, **scripts):
    """Runs mypy --strict on scripts beside the package, with the project's settings for pandas."""
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    files = [str(folder / f"{name}.py") for name in scripts]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--config-file",
        "pyproject.toml",
        *files,
    ]
    return subprocess.run(command, cwd=ANALYSIS, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    session = "".join(example.source for example in doctest.DocTestParser().get_examples(page.replace("```", "")))
    mistakes = session.index('poolscope.open("no/such/capture")')
    readme = "".join(re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.M | re.S))
    assert "poolscope.open" in readme
    folder = tmp_path_factory.mktemp("typed")
    return mypy(folder, good=SCRIPT, wrong=WRONG, page=session[:mistakes], readme=readme)


def test_a_script_that_uses_the_library_passes(said):
    assert [line for line in said if "good.py" in line] == []


@pytest.mark.parametrize("page", ["page", "readme"])
def test_the_examples_of_the_pages_pass(page, said):
    assert [line for line in said if f"{page}.py" in line] == []


def test_every_mistake_is_found(said):
    first = WRONG[: WRONG.index("poolscope.opne")].count("\n") + 1
    found = {int(line.split(":")[1]) for line in said if "wrong.py" in line and " error: " in line}
    assert found == set(range(first, WRONG.count("\n") + 1)), said


def test_nothing_else_is_found(said):
    # A note that names a definition belongs to an error; mypy prints it only if it reads that file again.
    assert [
        line
        for line in said
        if " error: " in line and not any(f"{name}.py" in line for name in ("good", "page", "readme", "wrong"))
    ] == []


def test_the_wheel_says_that_it_is_typed(tmp_path):
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ANALYSIS, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "site")
    assert {"poolscope/py.typed", "poolscope/schema.json", "poolscope/library/capture.py"} <= names
    script = "import poolscope, sys; print(poolscope.__file__, len(poolscope.open(sys.argv[1]).attribute()))"
    golden = str(ROOT / "traces" / "golden" / "sync-over-async.zip")
    command = [sys.executable, "-c", script, golden]
    environment = {"PYTHONPATH": str(tmp_path / "site"), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == [str(tmp_path / "site" / "poolscope" / "__init__.py"), "49"], done.stderr
