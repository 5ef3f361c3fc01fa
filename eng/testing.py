"""The `test` verb: what only computes first, on every core: Python's unit tests beside the build and the unit tests of C#. Then
live processes, two at a time where one more changes nothing; beside them, on what they leave of the cores, packing and the checks of
`lint`. Then what runs commands and packages as they are built, and what measures a live process, alone. pytest comes last in each, so
that a run ends with its closing line.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import csharp_tests
import dotnet
import needs
import recorded
import repo
import steps
import wine
from needs import Needs

MOST_WORKERS = 4
"""Each holds a few hundred MB, and some a browser."""

REST = "./build.sh test --all"
"""The command that runs what a smaller run leaves out."""

LEFT_OUT = "POOLSCOPE_TESTS_REST"
"""Tells pytest (analysis/tests/conftest.py) to say how many tests were left out, and which command runs them."""


PACKED = "POOLSCOPE_TESTS_PACKED"
"""Tells the tests of the packages (eng/tests/packed.py) which file holds the lines of a `pack` that has just been run."""


@dataclass(frozen=True)
class Wanted:
    """What a command line asks for. By default: unit tests, and of the others those that are marked `smoke`."""

    unit: bool = False
    """Unit tests alone."""
    everything: bool = False
    lint: bool = False
    """The checks of `lint` too, beside other tests."""
    for_pytest: tuple[str, ...] = ()
    """A selection of one's own: pytest alone runs, with it."""


def wanted(arguments: list[str]) -> Wanted:
    """Returns what the arguments of the verb ask for.

    A `--` before pytest's arguments is optional: PowerShell takes it out before a script sees it.
    """
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own = {name: f"--{name}" in arguments[:at] for name in ("unit", "all", "lint")}
    rest = [argument for argument in arguments[:at] if argument.removeprefix("--") not in own]
    if own["unit"] and own["all"]:
        raise repo.BuildError("test: --unit and --all exclude each other")
    return Wanted(own["unit"], own["all"], own["lint"], (*rest, *arguments[at + 1 :]))


def needed(arguments: list[str]) -> Needs:
    """Returns what the tests need that the arguments of the verb ask for."""
    asked = wanted(arguments)
    # Unit tests open no page; what a selection of one's own opens is not known.
    if asked.unit and not asked.for_pytest:
        return Needs.EVERYTHING & ~Needs.BROWSERS
    return Needs.EVERYTHING | Needs.WINE if asked.everything else Needs.EVERYTHING


def _workers(count: int) -> list[str]:
    # Files stay together: their tests share what is slow to make.
    return ["--dist", "loadfile", "-n", str(min(count, MOST_WORKERS))]


def passes(asked: Wanted) -> list[list[str]]:
    """Returns the arguments of pytest, a list for each time that it is started."""
    if asked.for_pytest:
        return [[*(["-m", "not live"] if asked.unit else []), *asked.for_pytest]]
    cores = os.cpu_count() or 1
    units = ["-m", "not live and not browser and not built and not slow", *_workers(cores)]
    if asked.everything:
        # Tests that are `built` wait for other programs, so one worker more keeps the cores busy.
        built = ["-m", "(built or browser) and not live and not slow", *_workers(cores + 1)]
        paired = ["-m", "paired and not slow", *_workers(cores)]
        return [units, paired, built, ["-m", "live and not paired and not slow"]]
    return [units] if asked.unit else [units, ["-m", "smoke"]]


def _pytest(arguments: list[str], says_rest: bool, told: dict[str, str]) -> int:
    # From analysis/, where its pyproject.toml says where tests are; so paths on the command line start there too. Named,
    # because pytest would look for one beside the tests if only those of the build are asked for.
    command = [repo.venv_python(), "-m", "pytest", "-c", repo.PYPROJECT.name, *arguments]
    return steps.call(command, env={**told, LEFT_OUT: REST} if says_rest else told, cwd=repo.PYPROJECT.parent)


class _Beside:
    """A verb of the build in a process of its own; what it says is kept until it has ended."""

    def __init__(self, verb: str, idle: bool = False) -> None:
        command = [sys.executable, str(repo.ROOT / "eng" / "build.py"), verb]
        # A file, not a pipe: nothing reads it while other tests run.
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._said, stderr=subprocess.STDOUT, text=True
        )
        if idle and hasattr(os, "SCHED_IDLE"):
            os.sched_setscheduler(self._process.pid, os.SCHED_IDLE, os.sched_param(0))
            # Its time counts as that of niced processes, which disturb no recording.
            os.setpriority(os.PRIO_PROCESS, self._process.pid, 19)

    def ended(self) -> tuple[bool, str]:
        """Waits; returns whether it succeeded, and what it said."""
        code = self._process.wait()
        with self._said:
            self._said.seek(0)
            return code == 0, self._said.read()


def _publish() -> None:
    """Publishes the programs that tests record, for every runtime and for Windows: once, because a build would disturb a recording."""
    try:
        recorded.publish()
        if wine.lacking() is None:
            wine.set_up()
    except repo.BuildError as error:
        # The tests that take it try again, and fail with this.
        steps.say(f"build: {error}")


def _packed(packing: _Beside) -> dict[str, str]:
    """Waits for `pack`; returns what tells pytest's processes where the packages are: two test files would pack at the same time."""
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
    """Returns the suites that ran no test at all: one that lost its tests would pass for ever."""
    return [suite for suite, count in units.items() if count == 0 and live.get(suite) == 0]


class _Programs:
    """What is compiled, and the unit tests of it, beside the unit tests of Python. What these tests say is kept until all have ended:
    pytest's lines of dots are not to be broken."""

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
        """Waits; returns how many tests of each suite passed. Raises BuildError if the build failed."""
        counts = self._made.result()
        for said in self._said:
            steps.say(said)
        return counts


def run(arguments: list[str]) -> int:
    """Runs the tests that are asked for; non-zero when any failed."""
    asked = wanted(arguments)
    first, *others = passes(asked)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background of a shell. Tests send it to what they start, which would ignore it too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    needs.set_up(needed(arguments), building=bool(asked.for_pytest))
    if asked.for_pytest:
        return _pytest(first, says_rest=False, told={})
    programs = _Programs(asked.everything)
    codes = [_pytest(first, says_rest=asked.unit, told={})]
    units = programs.ended()
    if asked.unit:
        _say_left_out(csharp_tests.LIVE)
    fine = None not in units.values()
    told: dict[str, str] = {}
    # Both take what was built. Where everything runs, two recordings leave the cores idle for half of the time; else this waits.
    lint = _Beside("lint", idle=asked.everything) if asked.lint else None
    if asked.everything:
        packing = _Beside("pack", idle=True)
        paired, built, _ = others
        codes.append(_pytest(paired, says_rest=False, told={}))
        told = _packed(packing)
        codes.append(_pytest(built, says_rest=False, told=told))
    fine &= _passed(lint)
    if others:
        live = _csharp("live tests", csharp_tests.ALONE if asked.everything else csharp_tests.SMOKE)
        if asked.everything and (empty := _empty(units, live)):
            steps.say(f"C# tests FAILED: no test ran of {' '.join(empty)}")
            fine = False
        if not asked.everything:
            _say_left_out(csharp_tests.BUT_SMOKE)
        fine &= None not in live.values()
        codes.append(_pytest(others[-1], says_rest=not asked.everything, told=told))
    return next((code for code in codes if code), 0 if fine else 1)
