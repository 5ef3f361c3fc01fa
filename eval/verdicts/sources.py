"""The runs: each records one program, judges it, and gives its verdict."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import poolscope
import seeds.run as seed_run
from poolscope.base.errors import PoolscopeError
from seeds.row import Expected, Row
from seeds.rows import ROWS
from verdicts.given import Given
from zoo.case import Case
from zoo.expected import load
from zoo.failed import RunFailed
from zoo.record import Tools, is_recorded, record, spinning

FRAMEWORK = "net10.0"


@dataclass(frozen=True)
class Planned:
    """A run for now or later. Recording needs the machine to itself; judging a recording does not."""

    run: str
    """The name in `Given.run`."""
    record: Callable[[], None]
    """Makes the capture, if none is kept. A run that fails leaves none."""
    judge: Callable[[], Given]
    """Returns the verdict of the capture."""

    def make(self) -> Given:
        """Records and judges."""
        self.record()
        return self.judge()


def zoo_runs(tools: Tools, numbers: range, beside: bool, only: set[str] | None) -> Iterator[Planned]:
    """Plans launched runs of the zoo. A capture kept by `./build.sh zoo` is judged, and not recorded again."""
    for number in numbers:
        for program in load().values():
            if only is None or program.name in only:
                case = Case(program, FRAMEWORK, "launched", number, beside)
                name = f"zoo/{program.name}{'-spin' if beside else ''}-{number}"
                yield Planned(name, partial(_record_case, tools, case), partial(_judge_case, tools, case))


def seed_runs(
    tools: Tools,
    seed_tools: seed_run.Tools,
    numbers: range,
    beside: bool,
    only: set[str] | None,
) -> Iterator[Planned]:
    """Plans runs of the published experiments at their default sizes. Their captures are deleted once judged."""
    for number in numbers:
        for row in ROWS:
            if only is None or row.id in only or row.workload in only:
                name = f"seeds/{row.id}{'-spin' if beside else ''}-{number}"
                folder = replace(seed_tools, captures=seed_tools.captures / f"{number}{'-spin' if beside else ''}")
                yield Planned(
                    name,
                    partial(_record_row, tools, folder, row, beside),
                    partial(_judge_row, folder, row, number, beside),
                )


def _record_case(tools: Tools, case: Case) -> None:
    if not is_recorded(tools, case):
        with suppress(RunFailed):
            record(tools, case)


def _judge_case(tools: Tools, case: Case) -> Given:
    expected = tuple(case.program.verdicts) + tuple(case.program.framework_verdicts.get(case.framework, {}))
    verdict, confidence = "failed", ""
    if is_recorded(tools, case):
        with suppress(PoolscopeError):
            said = poolscope.open(tools.capture(case)).analysis()["verdict"]
            verdict, confidence = said["id"], said["confidence"]
    program = case.program
    return Given(
        "zoo",
        program.name,
        case.number,
        case.spin,
        program.held_out,
        expected,
        verdict,
        confidence,
        verdict in expected,
    )


def _record_row(tools: Tools, seed_tools: seed_run.Tools, row: Row, beside: bool) -> None:
    seed_tools.captures.mkdir(parents=True, exist_ok=True)
    with suppress(seed_run.RunFailed), spinning(tools.program(FRAMEWORK), beside):
        seed_run.record(seed_tools, row, full=False)


def _judge_row(seed_tools: seed_run.Tools, row: Row, number: int, beside: bool) -> Given:
    expected, verdict, confidence, right = Expected((), True), "failed", "", False
    with suppress(seed_run.RunFailed):
        expected = seed_run.expected_verdicts(seed_tools, row)
        outcome = seed_run.explain(seed_tools, row)
        shutil.rmtree(outcome.folder)
        said = outcome.analysis["verdict"]
        verdict, confidence, right = (
            said["id"],
            said["confidence"],
            expected.met(outcome),
        )
    accepted = (
        *expected.ids,
        *([expected.alternative.verdict] if expected.alternative else []),
    )
    return Given("seeds", row.id, number, beside, False, accepted, verdict, confidence, right)
