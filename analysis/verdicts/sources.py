"""The runs: each records one program, judges it, and gives its verdict."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
    """A run that can be made, now or later."""

    run: str
    """As in `Given.run`."""
    make: Callable[[], Given]


def zoo_runs(tools: Tools, numbers: range, beside: bool, only: set[str] | None) -> Iterator[Planned]:
    """Plans runs of the zoo, launched. A capture that `./build.sh zoo` kept is judged, and not recorded again."""
    for number in numbers:
        for program in load().values():
            if only is None or program.name in only:
                case = Case(program, FRAMEWORK, "launched", number, beside)
                name = f"zoo/{program.name}{'-spin' if beside else ''}-{number}"
                yield Planned(name, lambda case=case: _of_case(tools, case))  # type: ignore[misc]


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
                yield Planned(name, lambda row=row, number=number: _of_row(tools, seed_tools, row, number, beside))  # type: ignore[misc]


def _of_case(tools: Tools, case: Case) -> Given:
    expected = tuple(case.program.verdicts) + tuple(case.program.framework_verdicts.get(case.framework, {}))
    try:
        if not is_recorded(tools, case):
            record(tools, case)
        said = poolscope.open(tools.capture(case)).analysis()["verdict"]
        verdict, confidence = said["id"], said["confidence"]
    except (RunFailed, PoolscopeError):
        verdict, confidence = "failed", ""
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


def _of_row(
    tools: Tools,
    seed_tools: seed_run.Tools,
    row: Row,
    number: int,
    beside: bool,
) -> Given:
    expected, verdict, confidence, right = Expected((), True), "failed", "", False
    try:
        expected = seed_run.expected_verdicts(seed_tools, row)
        with spinning(tools.program(FRAMEWORK), beside):
            seed_run.record(seed_tools, row, full=False)
        outcome = seed_run.explain(seed_tools, row)
        shutil.rmtree(outcome.folder)
        said = outcome.analysis["verdict"]
        verdict, confidence, right = (
            said["id"],
            said["confidence"],
            expected.met(outcome),
        )
    except seed_run.RunFailed:
        pass
    accepted = (
        *expected.ids,
        *([expected.alternative.verdict] if expected.alternative else []),
    )
    return Given("seeds", row.id, number, beside, False, accepted, verdict, confidence, right)
