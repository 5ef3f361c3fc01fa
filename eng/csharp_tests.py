"""The C# test executables: which of their tests run, and what they say."""

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

# No suite takes minutes; one that hangs must not hang a build that nobody watches.
SUITE_SECONDS = 900

SIDE_BY_SIDE = 2
"""Suites at a time, of those that only compute. Each uses several cores by itself, but not while it starts."""

Say = Callable[[str], object]

# Filters by trait, as xunit takes them.
UNITS = ("-trait-", "live=yes")
PAIRED = ("-trait", "paired=yes")
ALONE = ("-trait", "live=yes", "-trait-", "paired=yes")
LIVE = ("-trait", "live=yes")
SMOKE = ("-trait", "smoke=yes")
BUT_SMOKE = ("-trait", "live=yes", "-trait-", "smoke=yes")

# What xunit says between a suite's start and its summary. Failures and skips are none of these.
CHATTER = re.compile(r"\s*(Discovering|Discovered|Starting|Finished):\s|=== TEST EXECUTION SUMMARY ===")
TOTAL = re.compile(r"\s*\S+\s+Total: (\d+)")


def run_suite(suite: Path, which: Sequence[str], say: Say = steps.say) -> int | None:
    """Runs the tests of one executable that a filter lets through, and says what it said but its chatter.

    Returns how many they were, or None if the suite failed. A suite of which the filter leaves nothing is not mentioned.
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
            # Said at once and at the end: several suites may run side by side.
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
    """Runs every suite of the solution; returns how many tests of each passed, None for one that failed."""
    suites = repo.test_suites()
    with ThreadPoolExecutor(at_a_time) as pool:
        counts = pool.map(lambda suite: run_suite(suite, which, say), suites)
        return {suite.name: count for suite, count in zip(suites, counts, strict=True)}


def count(which: Sequence[str]) -> int:
    """Returns how many tests a filter would let through, of all suites together."""
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
