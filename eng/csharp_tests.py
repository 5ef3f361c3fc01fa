"""The C# test executables: the tests to run, and their output."""

from __future__ import annotations

import os
import json
import re
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dotnet
import repo
import steps

# No suite takes minutes, and a suite that hangs must not hang an unattended build.
SUITE_SECONDS = 900

SIDE_BY_SIDE = 2
"""Compute-only suites that run at a time. Each uses several cores, but not while it starts."""

Say = Callable[[str], object]

# Filters by trait, in xunit's form.
UNITS = ("-trait-", "live=yes")
PAIRED = ("-trait", "paired=yes")
ALONE = ("-trait", "live=yes", "-trait-", "paired=yes")
LIVE = ("-trait", "live=yes")
SMOKE = ("-trait", "smoke=yes")
BUT_SMOKE = ("-trait", "live=yes", "-trait-", "smoke=yes")

# xunit's output between a suite's start and its summary, without failures and skips.
CHATTER = re.compile(r"\s*(Discovering|Discovered|Starting|Finished):\s|=== TEST EXECUTION SUMMARY ===")
TOTAL = re.compile(r"\s*\S+\s+Total: (\d+)")


def run_suite(suite: Path, which: Sequence[str], say: Say = steps.say) -> int | None:
    """Runs the tests of one executable that pass a filter, and prints its output without xunit's chatter.

    Returns the number of tests, or None if the suite failed. A suite without a test in the filter prints nothing.
    """
    if not suite.exists():
        say(f"{suite.name}: not built: {suite.relative_to(repo.ROOT)}")
        return None
    with subprocess.Popen(
        [str(suite), "-noColor", "-noLogo", "-noAutoReporters", *which],
        cwd=repo.ROOT,
        env=dotnet.full_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        watchdog = threading.Timer(SUITE_SECONDS, process.kill)
        watchdog.start()
        try:
            # Printed together at the end, because several suites may run side by side.
            said, _ = process.communicate()
        finally:
            watchdog.cancel()
    lines = [line for line in said.splitlines() if line.strip() and not CHATTER.match(line)]
    total = next((int(found[1]) for line in reversed(lines) if (found := TOTAL.match(line))), 0)
    if process.returncode != 0:
        say("\n".join([*lines, f"{suite.name}: FAILED with exit code {process.returncode}"]))
        return None
    if total:
        say("\n".join(lines))
    return total


def run(which: Sequence[str], at_a_time: int = 1, say: Say = steps.say) -> dict[str, int | None]:
    """Runs every suite of the solution; returns the number of passed tests of each, or None for a suite that failed."""
    suites = repo.test_suites()
    with ThreadPoolExecutor(at_a_time) as pool:
        counts = pool.map(lambda suite: run_suite(suite, which, say), suites)
        return {suite.name: count for suite, count in zip(suites, counts, strict=True)}


def count(which: Sequence[str]) -> int:
    """Returns the number of tests in all suites that pass a filter."""
    total = 0
    for suite in repo.test_suites():
        done = subprocess.run(
            [str(suite), "-noColor", "-noLogo", *which, "-list", "tests/json"],
            cwd=repo.ROOT,
            env=dotnet.full_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        total += len(json.loads(done.stdout)) if done.returncode == 0 else 0
    return total
