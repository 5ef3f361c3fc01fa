"""Runs tests against faults: pytest collects once, and every fault is seeded in its own forked process.

So a fault costs only the tests that reach it, without a start of Python. No source is changed. The native loop of the
replay is switched off: it has none of the faults, so it would reveal each one.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .faults import Fault
from .reached import noted_lines
from .seeding import seed

SLOWEST_S = 45.0
"""Maximum CPU time of a test, watched line by line. Slower tests take no part; they could only catch more faults."""
PATIENCE = 5.0
"""A test that takes this many times its watched time, plus three seconds, loops forever: the fault is caught."""
MEMORY_BYTES = 4 << 30
"""Limit of a faulty process's address space, beyond which its test fails."""
WATCHING = 0.4
"""Share of the time after which faults are tried with the tests watched so far. A fault that these catch is caught; try
the survivors again once all tests are watched."""
NOT_SEEDED = 70
"""Exit code of a process that could not be given its fault."""
CAUGHT, SURVIVED, TIMEOUT, UNREACHED = "caught", "survived", "timeout", "unreached"


@dataclass(frozen=True)
class Limits:
    """The limits of a run."""

    stop_at: float
    """time.time() from which no fault is begun."""
    most_s: float
    """Maximum CPU seconds of tests for one fault, after which it is reported as a survivor."""
    jobs: int
    """Faults tried at once."""


class Driver:
    """A pytest plugin that runs the collected tests against each of the faults."""

    def __init__(
        self, faults: list[Fault], root: Path, sources: Path, notes: Path, results: Path, limits: Limits
    ) -> None:
        """Appends to `notes` and `results`, which are JSON lines, so that a run can resume an earlier one."""
        self.faults, self.root, self.sources = faults, root, sources
        self.notes, self.results, self.limits = notes, results, limits
        self.say = os.fdopen(os.dup(1), "w", buffering=1)
        self.catchers: dict[str, int] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.place = Path(session.config.getoption("basetemp"))
        self.place.mkdir(parents=True, exist_ok=True)
        self.tests = {item.nodeid: item for item in session.items}
        known = {note["test"] for note in _lines(self.notes)}
        now = time.time()
        for name, item in self.tests.items():
            if name not in known and time.time() < now + (self.limits.stop_at - now) * WATCHING:
                child = self._fork(lambda item=item: self._watch(item), 0, 1.3 * SLOWEST_S)  # type: ignore[misc]
                os.waitpid(child, 0)
        watched = {note["test"]: note for note in _lines(self.notes) if note["test"] in self.tests}
        self.usable = {name: note for name, note in watched.items() if note["usable"]}
        self.say.write(
            f"{len(self.tests)} tests, {len(self.usable)} usable, {len(self.tests) - len(watched)} not yet watched\n"
        )
        done = set()
        for result in _lines(self.results):
            done.add(result["fault"])
            if result["by"] in self.tests:
                self.catchers[result["by"]] = self.catchers.get(result["by"], 0) + 1
        running: dict[int, tuple[int, Fault, dict[str, Any]]] = {}
        for fault in self.faults:
            if fault.identity(self.root) in done or time.time() >= self.limits.stop_at:
                continue
            if len(running) == self.limits.jobs:
                self._end_one(running)
            slot = min(set(range(self.limits.jobs)) - {s for s, _, _ in running.values()})
            self._begin(fault, slot, running)
        while running:
            self._end_one(running)
        return True

    def _watch(self, item: pytest.Item) -> None:
        """Runs one test without a fault and records the lines it reaches."""
        began = time.process_time()
        with noted_lines(self.sources) as lines:
            passed = _passes(item)
        took = time.process_time() - began
        reached = {str(Path(path).relative_to(self.root)): sorted(seen) for path, seen in lines.items()}
        note = {"test": item.nodeid, "s": round(took, 3), "usable": passed and took < SLOWEST_S, "lines": reached}
        _add(self.notes, note)

    def _begin(self, fault: Fault, slot: int, running: dict[int, tuple[int, Fault, dict[str, Any]]]) -> None:
        path = str(fault.path.relative_to(self.root))
        lines = self._lines_of(fault)
        notes = self.usable
        names = [n for n, note in notes.items() if any(set(note["lines"].get(p, ())) & at for p, at in lines.items())]
        # The tests that have caught most faults for their time run first.
        names.sort(key=lambda n: ((notes[n]["s"] + 0.05) / (1 + self.catchers.get(n, 0)), n))
        told: dict[str, Any] = {
            "fault": fault.identity(self.root),
            "path": path,
            "line": fault.line,
            "kind": fault.kind,
            "before": fault.before,
            "after": fault.after,
            "tests": len(names),
            "began": time.time(),
        }
        self._out(slot).unlink(missing_ok=True)
        if not names:
            self._note(fault, told | {"outcome": UNREACHED, "by": ""})
            return
        running[self._fork(lambda: self._try(fault, names, self._out(slot)), slot, None)] = (slot, fault, told)

    def _try(self, fault: Fault, names: list[str], out: Path) -> None:
        """Runs the tests against one fault in a separate process, and reports each result at once, because the time
        limit may end the process at any time."""
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        seed(fault)
        used = 0.0
        for name in names:
            signal.setitimer(signal.ITIMER_PROF, PATIENCE * self.usable[name]["s"] + 3.0)
            out.write_text(json.dumps({"outcome": TIMEOUT, "by": name}))
            if not _passes(self.tests[name]):
                out.write_text(json.dumps({"outcome": CAUGHT, "by": name}))
                return
            used += self.usable[name]["s"]
            if used > self.limits.most_s:
                out.write_text(json.dumps({"outcome": SURVIVED, "by": "", "not_all": True}))
                return
        out.write_text(json.dumps({"outcome": SURVIVED, "by": ""}))

    def _end_one(self, running: dict[int, tuple[int, Fault, dict[str, Any]]]) -> None:
        child, status = os.wait()
        slot, fault, told = running.pop(child)
        out = self._out(slot)
        if os.waitstatus_to_exitcode(status) == NOT_SEEDED:
            told |= {"outcome": "not seeded", "by": ""}
        else:
            told |= json.loads(out.read_text()) if out.exists() else {"outcome": CAUGHT, "by": "seeding it"}
        shutil.rmtree(self.place / f"slot{slot}", ignore_errors=True)
        self._note(fault, told)

    def _note(self, fault: Fault, told: dict[str, Any]) -> None:
        if told["by"]:
            self.catchers[told["by"]] = self.catchers.get(told["by"], 0) + 1
        told["s"] = round(time.time() - told.pop("began"), 1)
        _add(self.results, told)
        self.say.write(f"{told['outcome']:9} {told['s']:6.1f} s  {told['fault']} {fault.kind}: {fault.after[:60]}\n")

    def _out(self, slot: int) -> Path:
        return self.place / f"told{slot}"

    def _lines_of(self, fault: Fault) -> dict[str, set[int]]:
        """Returns the lines that matter to the fault: a test must reach at least one to be able to catch it."""
        if fault.constant is None:
            return {str(fault.path.relative_to(self.root)): set(_statement(fault))}
        found = {}
        for path in self.sources.rglob("*.py"):
            text = path.read_text("utf-8").splitlines()
            at = {number for number, line in enumerate(text, 1) if fault.constant in line}
            if at:
                found[str(path.relative_to(self.root))] = at
        return found

    def _fork(self, what: Callable[[], None], slot: int, patience: float | None) -> int:
        """Starts a silent process with its own temporary folder, which calls `what`. Returns its id."""
        child = os.fork()
        if child:
            return child
        code = 1
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            folder = self.place / f"slot{slot}"
            folder.mkdir(exist_ok=True)
            next(iter(self.tests.values())).config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
            if patience is not None:
                signal.setitimer(signal.ITIMER_PROF, patience)
            what()
            code = 0
        except LookupError:
            code = NOT_SEEDED
        finally:
            os._exit(code)


def _passes(item: pytest.Item) -> bool:
    item.session._setupstate.teardown_exact(None)
    reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports) and not any(report.skipped for report in reports)


def _statement(fault: Fault) -> Iterator[int]:
    """Yields the lines of the innermost statement with the fault, or of its head if it contains other statements."""
    import ast

    best: ast.stmt | None = None
    for node in ast.walk(ast.parse(fault.path.read_text("utf-8"))):
        if isinstance(node, ast.stmt) and node.lineno <= fault.line <= (node.end_lineno or node.lineno):
            if best is None or node.lineno >= best.lineno:
                best = node
    assert best is not None
    body = getattr(best, "body", None)
    last = body[0].lineno - 1 if body else best.end_lineno or best.lineno
    yield from range(best.lineno, max(last, best.lineno) + 1)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def _add(path: Path, row: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def without_native_loop() -> None:
    """Makes the import of the native extension fail in this process and its children, because its loop contains no
    fault."""
    sys.modules["poolscope.native.extension"] = None  # type: ignore[assignment]
