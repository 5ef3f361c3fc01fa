"""Running one experiment under capture, and analysing it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolscope.base.errors import PoolscopeError
from poolscope.capture import open_capture
from poolscope.cli.options import write_text
from poolscope.measures.truth import verify
from poolscope.product import analyse
from poolscope.report import render

from seeds.outcome import Outcome
from seeds.pressure import pressure_now
from seeds.row import Expected, Row

QUIET_PSI = 10.0
"""cpu `some avg10`, percent: above it, other work on the machine affects the figures."""
PATIENCE_S = 5.0
"""Longest wait for a quiet machine before a run is marked as noisy. The previous run has just ended, and its pressure
fades with a time constant of 10 s."""
LONGEST_RUN_S = 1800


class RunFailed(Exception):
    """The experiment could not be run or analysed; the message is for the user."""


@dataclass(frozen=True)
class Tools:
    """The commands under test and the folders for their results."""

    collect: Path
    workloads: Path
    captures: Path
    """A folder for each row's capture."""
    reports: Path
    """The folder for each row's report."""


def expected_verdicts(tools: Tools, row: Row) -> Expected:
    """Returns the expected verdicts in the workload's own manifest."""
    listed = json.loads(_output([tools.workloads, "list", "--json"]))
    entry = next((e for e in listed if e["id"] == row.workload), None)
    if entry is None:
        raise RunFailed(f"there is no workload {row.workload}")
    for expected in entry["expected"]:
        if expected["when"] == row.expected:
            return Expected(tuple(expected["verdicts"]), bool(expected["any_of"]), row.alternative)
    raise RunFailed(f"{row.workload} has no expected verdict for '{row.expected}'")


def record(tools: Tools, row: Row, full: bool) -> None:
    """Captures the workload and decodes it. Raises RunFailed."""
    noisy = _wait_until_quiet()
    folder = tools.captures / _name(row)
    shutil.rmtree(folder, ignore_errors=True)
    size: list[str | Path] = ["--full"] if full else []
    target: list[str | Path] = [tools.workloads, "run", row.workload, *row.arguments, *size, "--json"]
    _output([tools.collect, "collect", "-o", folder, "--", *target])
    write_text(_circumstances(folder), json.dumps({"full": full, "noisy": noisy}) + "\n")


def was_full(tools: Tools, row: Row) -> bool:
    """Returns whether the row's last capture is of the published size. Raises RunFailed if there is none."""
    return bool(_json(_circumstances(tools.captures / _name(row)))["full"])


def explain(tools: Tools, row: Row) -> Outcome:
    """Analyses the row's last capture and writes its report. Raises RunFailed."""
    name = _name(row)
    folder = tools.captures / name
    noisy = _json(_circumstances(folder))["noisy"]
    try:
        capture = open_capture(folder)
        analysis = analyse(capture)
        product = analysis.to_json()
        report = tools.reports / f"{name}.html"
        write_text(report, render(product))
        truth = capture.truth()
        error = None if truth is None else verify(capture).start_latency_error_us["median"]
    except PoolscopeError as problem:
        raise RunFailed(str(problem)) from problem
    return Outcome(folder, _json(folder / "workload.json"), product, truth, error, report, noisy)


def _name(row: Row) -> str:
    return row.id.replace(":", "-").replace("=", "-")


def _circumstances(capture: Path) -> Path:
    """Returns the file with the circumstances of the run. It lies beside the capture, whose own files are the
    collector's."""
    return capture.with_suffix(".json")


def _json(path: Path) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as problem:
        raise RunFailed(f"there is no {path.name}; the row has not been run: {problem}") from problem
    return loaded


def _output(command: list[str | Path]) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST_RUN_S, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise RunFailed(f"exit code {done.returncode} from {' '.join(words)}: {last}")
    return done.stdout


def _wait_until_quiet() -> float | None:
    """Waits for a quiet machine. Returns None if it is quiet, otherwise its pressure after the wait."""
    until = time.monotonic() + PATIENCE_S
    while (pressure := pressure_now(0.5)) >= QUIET_PSI:
        if time.monotonic() > until:
            return pressure
    return None
