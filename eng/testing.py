"""The `test` verb. First come compute-only tests on every core: Python's unit tests beside the build and the C# unit
tests. Then come live processes, two at a time if one more changes nothing; the remaining cores run packing and the
checks of `lint`. Last, and alone, come tests of the built commands and packages, and tests that measure a live process.
pytest is the last step of each, so that a run ends with its closing line; after it only failed tests are repeated."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import csharp_tests
import dotnet
import needs
import recorded
import repo
import steps
import wine
from needs import Needs

MOST_WORKERS = 4
"""Maximum number of workers: each takes a few hundred MB, and some a browser."""

REST = "./build.sh test --all"
"""The command that runs the tests left out of a smaller run."""

LEFT_OUT = "POOLSCOPE_TESTS_REST"
"""Variable that makes pytest (analysis/tests/conftest.py) print the number of tests left out, and the command for
them."""


PACKED = "POOLSCOPE_TESTS_PACKED"
"""Variable that names the file with the output of a finished `pack`, for the tests of the packages
(eng/tests/packed.py)."""


@dataclass(frozen=True)
class Wanted:
    """The tests that a command line selects. By default: unit tests, and the other tests marked `smoke`."""

    unit: bool = False
    """Only unit tests."""
    everything: bool = False
    lint: bool = False
    """Also the checks of `lint`, beside other tests."""
    for_pytest: tuple[str, ...] = ()
    """The user's own selection, with which only pytest runs."""


def wanted(arguments: list[str]) -> Wanted:
    """Parses the arguments of the verb.

    A `--` before pytest's arguments is optional: PowerShell removes it before a script sees it.
    """
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own = {name: f"--{name}" in arguments[:at] for name in ("unit", "all", "lint")}
    rest = [argument for argument in arguments[:at] if argument.removeprefix("--") not in own]
    if own["unit"] and own["all"]:
        raise repo.BuildError("test: --unit and --all exclude each other")
    return Wanted(own["unit"], own["all"], own["lint"], (*rest, *arguments[at + 1 :]))


def needed(arguments: list[str]) -> Needs:
    """Returns the needs of the tests that the arguments select."""
    asked = wanted(arguments)
    # Unit tests open no page. Tests in a user's own selection might.
    if asked.unit and not asked.for_pytest:
        return Needs.EVERYTHING & ~Needs.BROWSERS
    return Needs.EVERYTHING | Needs.WINE | Needs.POWERSHELL if asked.everything else Needs.EVERYTHING


def _workers(count: int) -> list[str]:
    # Files stay together, because their tests share slow fixtures.
    return ["--dist", "loadfile", "-n", str(min(count, MOST_WORKERS))]


def passes(asked: Wanted) -> list[list[str]]:
    """Returns the arguments of pytest, one list for each start of it."""
    if asked.for_pytest:
        return [[*(["-m", "not live"] if asked.unit else []), *asked.for_pytest]]
    cores = os.cpu_count() or 1
    units = ["-m", "not live and not browser and not built and not slow", *_workers(cores)]
    if asked.everything:
        # Tests marked `built` wait for other programs, so one more worker keeps the cores busy.
        built = ["-m", "(built or browser) and not live and not slow", *_workers(cores + 1)]
        paired = ["-m", "paired and not slow", *_workers(cores)]
        return [units, paired, built, ["-m", "live and not paired and not slow"]]
    return [units] if asked.unit else [units, ["-m", "smoke"]]


def failures(results: Iterable[Path]) -> list[str]:
    """Returns the failed tests in JUnit files of pytest, each with its message: minutes of output may follow the test
    itself."""
    found = []
    for result in results:
        for case in ElementTree.parse(result).iter("testcase"):
            for problem in (*case.findall("failure"), *case.findall("error")):
                found.append(f"FAILED {case.get('classname')}::{case.get('name')}: {problem.get('message')}")
    return found


def _pytest(arguments: list[str], says_rest: bool, told: dict[str, str], result: Path | None = None) -> int:
    # Runs in analysis/, where pyproject.toml sets the test paths, so paths on the command line start there too. It
    # passes -c explicitly. Without it pytest would search for a settings file beside the tests if only those of the
    # build are selected.
    command = [repo.venv_python(), "-m", "pytest", "-c", repo.PYPROJECT.name, *arguments]
    if result:
        command.append(f"--junit-xml={result}")
    return steps.call(command, env={**told, LEFT_OUT: REST} if says_rest else told, cwd=repo.PYPROJECT.parent)


class _Beside:
    """A verb of the build in a separate process; its output is kept until it ends."""

    def __init__(self, verb: str, idle: bool = False) -> None:
        command = [sys.executable, str(repo.ROOT / "eng" / "build.py"), verb]
        # A file, not a pipe, because no reader empties a pipe while other tests run.
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._said, stderr=subprocess.STDOUT, text=True
        )
        if idle and hasattr(os, "SCHED_IDLE"):
            os.sched_setscheduler(self._process.pid, os.SCHED_IDLE, os.sched_param(0))
            # Its time counts as that of niced processes, which disturb no recording.
            os.setpriority(os.PRIO_PROCESS, self._process.pid, 19)

    def ended(self) -> tuple[bool, str]:
        """Waits; returns whether the verb succeeded, and its output."""
        code = self._process.wait()
        with self._said:
            self._said.seek(0)
            return code == 0, self._said.read()


def _publish() -> None:
    """Publishes the programs that tests record, for every runtime and for Windows, in advance: a build would disturb a
    recording."""
    try:
        recorded.publish()
        if wine.lacking() is None:
            wine.set_up()
    except repo.BuildError as error:
        # The tests that need the program try again, and fail with this error.
        steps.say(f"build: {error}")


def _packed(packing: _Beside) -> dict[str, str]:
    """Waits for `pack`; returns the variable with the packages' place, because two test files would otherwise pack at
    once."""
    packed, said = packing.ended()
    if not packed:
        steps.say(said.rstrip())
        return {}
    file = repo.CACHE / "packed.txt"
    file.write_text(said, "utf-8")
    return {PACKED: str(file)}


def _passed(lint: _Beside | None) -> bool:
    if lint is None:
        return True
    passed, said = lint.ended()
    steps.say(said.rstrip())
    return passed


def _csharp(
    name: str, which: tuple[str, ...], at_a_time: int = 1, say: csharp_tests.Say = steps.say
) -> dict[str, int | None]:
    start = time.monotonic()
    counts = csharp_tests.run(which, at_a_time, say)
    if failed := [suite for suite, count in counts.items() if count is None]:
        say(f"C# {name} FAILED: {' '.join(failed)}")
    say(f"C# {name}: {sum(count or 0 for count in counts.values())} tests ({time.monotonic() - start:.1f} s)")
    return counts


def _say_left_out(which: tuple[str, ...]) -> None:
    steps.say(f"left out: {csharp_tests.count(which)} live C# tests; `{REST}` runs them")


def _empty(units: dict[str, int | None], live: dict[str, int | None]) -> list[str]:
    """Returns the suites without any test: a suite that lost its tests would always pass."""
    return [suite for suite, count in units.items() if count == 0 and live.get(suite) == 0]


class _Programs:
    """Compiles the C# code and runs its unit tests, beside Python's unit tests. Keeps their output until all have
    ended, so that it does not break pytest's lines of dots."""

    def __init__(self, publishes: bool) -> None:
        self._publishes = publishes
        self._said: list[str] = []
        self._made = ThreadPoolExecutor(1).submit(self._make)

    def _make(self) -> dict[str, int | None]:
        dotnet.set_up()
        publishing = threading.Thread(target=_publish)
        if self._publishes:
            publishing.start()
        counts = _csharp("unit tests", csharp_tests.UNITS, csharp_tests.SIDE_BY_SIDE, self._said.append)
        if self._publishes:
            publishing.join()
        return counts

    def ended(self) -> dict[str, int | None]:
        """Waits; returns the number of passed tests of each suite. Raises BuildError if the build failed."""
        counts = self._made.result()
        for said in self._said:
            steps.say(said)
        return counts


def run(arguments: list[str]) -> int:
    """Runs the selected tests; returns non-zero if any failed."""
    asked = wanted(arguments)
    first, *others = passes(asked)
    results = [repo.CACHE / "logs" / f"pytest-{start}.xml" for start in range(1 + len(others))]
    for result in results:
        result.unlink(missing_ok=True)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # The verb was started in the background of a shell. Tests send SIGINT to programs that they start, which would
        # inherit that they ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    needs.set_up(needed(arguments), building=bool(asked.for_pytest))
    if asked.for_pytest:
        return _pytest(first, says_rest=False, told={})
    programs = _Programs(asked.everything)
    codes = [_pytest(first, says_rest=asked.unit, told={}, result=results[0])]
    units = programs.ended()
    if asked.unit:
        _say_left_out(csharp_tests.LIVE)
    fine = None not in units.values()
    told: dict[str, str] = {}
    # Both use the build's output. In a full run two recordings leave the cores idle half of the time; otherwise this
    # waits.
    lint = _Beside("lint", idle=asked.everything) if asked.lint else None
    if asked.everything:
        packing = _Beside("pack", idle=True)
        paired, built, _ = others
        codes.append(_pytest(paired, says_rest=False, told={}, result=results[1]))
        told = _packed(packing)
        codes.append(_pytest(built, says_rest=False, told=told, result=results[2]))
    fine &= _passed(lint)
    if others:
        live = _csharp("live tests", csharp_tests.ALONE if asked.everything else csharp_tests.SMOKE)
        if asked.everything and (empty := _empty(units, live)):
            steps.say(f"C# tests FAILED: no test ran of {' '.join(empty)}")
            fine = False
        if not asked.everything:
            _say_left_out(csharp_tests.BUT_SMOKE)
        fine &= None not in live.values()
        codes.append(_pytest(others[-1], says_rest=not asked.everything, told=told, result=results[-1]))
    for failure in failures(result for result in results if result.is_file()):
        steps.say(failure)
    return next((code for code in codes if code), 0 if fine else 1)
