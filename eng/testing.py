"""The `test` verb: the C# test executables first, pytest last, so that a run ends with pytest's closing line.

Where nothing is asked of pytest it runs twice: on every core for what only computes, and then one test after the other
for what measures a live process, which nothing else may disturb.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from pathlib import Path

import dotnet
import repo
import steps

# No suite takes minutes; one that hangs must not hang a build that nobody watches.
SUITE_SECONDS = 900

MOST_WORKERS = 4
"""Each holds a few hundred MB, and some a browser."""

# What xunit says between a suite's start and its summary. Failures and skips are none of these.
CHATTER = re.compile(r"\s*(Discovering|Discovered|Starting|Finished):\s|=== TEST EXECUTION SUMMARY ===")
TOTAL = re.compile(r"\s*\S+\s+Total: (\d+)")


def split(arguments: list[str]) -> tuple[bool, list[str]]:
    """Whether only unit tests are wanted, and what is for pytest.

    A `--` before pytest's arguments is optional: PowerShell takes it out before a script sees it.
    """
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own = arguments[:at]
    return "--unit" in own, [argument for argument in own if argument != "--unit"] + arguments[at + 1 :]


def run_suite(suite: Path, unit: bool) -> bool:
    """Runs one C# test executable, passing on what it says but its chatter; returns whether it passed."""
    if not suite.exists():
        steps.say(f"{suite.name}: not built: {suite.relative_to(repo.ROOT)}")
        return False
    command = [str(suite), "-noColor", "-noLogo", "-noAutoReporters", *(["-trait-", "live=yes"] if unit else [])]
    total = None
    with subprocess.Popen(
        command,
        cwd=repo.ROOT,
        env={**os.environ, **dotnet.environment()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        watchdog = threading.Timer(SUITE_SECONDS, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if match := TOTAL.match(line):
                    total = int(match[1])
                if not CHATTER.match(line):
                    steps.say(line.rstrip())
        finally:
            watchdog.cancel()
    if process.returncode != 0:
        steps.say(f"{suite.name}: FAILED with exit code {process.returncode}")
        return False
    # A suite that lost its tests passes for ever. Without its live ones it may be empty by right.
    if not unit and not total:
        steps.say(f"{suite.name}: FAILED: it ran no test")
        return False
    return True


def passes(unit: bool, for_pytest: list[str]) -> list[list[str]]:
    """What pytest is started with, once for each list. Files stay together: their tests share what is slow to make."""
    if for_pytest:
        return [[*(["-m", "not live"] if unit else []), *for_pytest]]
    computing = ["-m", "not live and not slow", "--dist", "loadfile", "-n", str(min(os.cpu_count() or 1, MOST_WORKERS))]
    return [computing] if unit else [computing, ["-m", "live and not slow"]]


def run(arguments: list[str]) -> int:
    """Runs all tests; non-zero when any failed."""
    unit, for_pytest = split(arguments)
    failed = [suite.name for suite in repo.test_suites() if not run_suite(suite, unit)]
    if failed:
        steps.say(f"C# tests FAILED: {' '.join(failed)}")
    codes = [
        # From analysis/, where its pyproject.toml says where tests are; so paths on the command line start there too.
        steps.call([repo.venv_python(), "-m", "pytest", *arguments], cwd=repo.PYPROJECT.parent)
        for arguments in passes(unit, for_pytest)
    ]
    return next((code for code in codes if code), 1 if failed else 0)
