"""`./build.sh zoo`: third-party programs, one at a time, each compared with the verdicts fixed for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

import poolscope
from poolscope.base.errors import PoolscopeError
from poolscope.base.files import write_text
from zoo import look as looking
from zoo import results
from zoo.case import FRAMEWORKS, Case, matrix
from zoo.expected import FILE, REAL_FILE, load
from zoo.failed import RunFailed
from zoo.judge import Judgement, judge
from zoo.record import Tools, is_recorded, pressure_before, record
from zoo.servers import Servers
from zoo.storage import make_room

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"


@click.command()
@click.option("--real", is_flag=True, help="The zoo with real parts: servers start on loopback, and end with it.")
@click.option("--only", metavar="NAMES", help="Run these programs only: names, apart by commas.")
@click.option(
    "--framework", "frameworks", multiple=True, type=click.Choice(FRAMEWORKS), help="Repeatable. Default: all."
)
@click.option("--runs", type=click.IntRange(1), help="Runs of each. Default: 3 on .NET 10, else 1.")
@click.option("--attach", is_flag=True, help="Attach 5 s after the onset instead of launching.")
@click.option("--starved-attach", is_flag=True, help="Attach 30 s after the onset, to fully starved programs.")
@click.option("--spin", is_flag=True, help="Run two spinning processes beside each program.")
@click.option(
    "--look", is_flag=True, help="Record nothing: look at each program once, and write reports/zoo-look.json."
)
@click.option("--dump", is_flag=True, help="With --look: also at a core dump of each.")
@click.option("--again", is_flag=True, help="Run nothing: judge the kept captures once more.")
@click.option("--record-only", is_flag=True, help="Record, and leave the judging to --again.")
@click.option("--resume", is_flag=True, help="Leave out the runs that the results have already.")
@click.option(
    "--collect",
    type=click.Path(path_type=Path, dir_okay=False),
    default=ROOT / "bin" / "poolscope-collect",
    help="The collector to record with. Default: this build's.",
)
def main(
    real: bool,
    only: str | None,
    frameworks: tuple[str, ...],
    runs: int | None,
    attach: bool,
    starved_attach: bool,
    spin: bool,
    look: bool,
    dump: bool,
    again: bool,
    record_only: bool,
    resume: bool,
    collect: Path,
) -> None:
    """Records the zoo's programs, one at a time, judges the captures, and writes reports/zoo.json and reports/zoo/; with --real
    reports/real-zoo.json and reports/real-zoo/.

    Exit code 0 when every verdict is right, 1 when one is not or a run failed.
    """
    modes = [mode for mode, asked in (("attached", attach), ("starved", starved_attach)) if asked] or ["launched"]
    programs = load(REAL_FILE if real else FILE)
    zoo = "real-zoo" if real else "zoo"
    names = only.split(",") if only else list(programs)
    if unknown := [name for name in names if name not in programs]:
        raise click.UsageError(f"no program {', '.join(unknown)}; there are: {' '.join(programs)}")
    if look:
        tools = Tools(collect, ROOT / "artifacts" / zoo, ROOT / "traces" / zoo, zoo)
        chosen = looking.cases([programs[name] for name in names], list(frameworks) or list(FRAMEWORKS))
        sys.exit(0 if _look(tools, list(chosen), dump, resume) else 1)
    cases = list(
        matrix(
            [programs[name] for name in names],
            list(frameworks) or [f for f in FRAMEWORKS if not (real and f == "net9.0")],
            runs,
            modes,
            spin,
        )
    )
    (REPORTS / zoo).mkdir(parents=True, exist_ok=True)
    kept = results.Results(REPORTS / f"{zoo}.json")
    with Servers() as servers:
        tools = Tools(collect, ROOT / "artifacts" / zoo, ROOT / "traces" / zoo, zoo, servers)
        if again:
            cases = [case for case in cases if is_recorded(tools, case)]
        left = [case for case in cases if not (resume and (case in kept or (record_only and is_recorded(tools, case))))]
        for number, (case, found) in enumerate(_run(tools, left, again, record_only), 1):
            if not isinstance(found, Recorded):
                kept.add(case, found, pressure_before(tools, case))
            if not again:
                make_room(tools.captures)
            click.echo(f"[{number}/{len(left)}] {case.id}: {_said(found)}", err=True)
    if record_only:
        return
    outcome = kept.of(cases)
    click.echo("\n".join(results.lines(outcome)))
    sys.exit(0 if all(run.get("right") for run in outcome) else 1)


def _look(tools: Tools, cases: list[Case], dump: bool, resume: bool) -> bool:
    file = REPORTS / "zoo-look.json"
    found = looking.from_json(file.read_text("utf-8")) if resume and file.is_file() else []
    had = {(look.program, look.framework) for look in found}
    failed = 0
    for number, case in enumerate(cases, 1):
        if (case.program.name, case.framework) in had:
            continue
        try:
            for one in looking.looks(tools, tools.collect, case, dump):
                found.append(one)
                click.echo(
                    f"[{number}/{len(cases)}] {one.run}: {one.verdict}; {one.text} ({one.first_s:.2f} s)", err=True
                )
        except RunFailed as problem:
            failed += 1
            click.echo(f"[{number}/{len(cases)}] {case.program.name}-{case.framework}: failed: {problem}", err=True)
        REPORTS.mkdir(exist_ok=True)
        write_text(file, looking.to_json(found))
    click.echo("\n".join([*looking.lines(found), f"{failed} runs failed"]))
    return failed == 0 and looking.passes(found)


@dataclass(frozen=True)
class Recorded:
    """A run that is to be judged later."""


def _run(
    tools: Tools, cases: list[Case], again: bool, record_only: bool
) -> Iterator[tuple[Case, Judgement | Recorded | str]]:
    """Yields each run with its outcome, or the reason of its failure as a text. Kept captures are judged on all
    cores."""
    if again:
        judging = partial(_judge, replace(tools, servers=None))
        with ProcessPoolExecutor() as pool:
            yield from zip(cases, pool.map(judging, cases), strict=True)
        return
    for case in cases:
        try:
            record(tools, case)
        except RunFailed as problem:
            yield case, str(problem)
            continue
        yield case, Recorded() if record_only else _judge(tools, case)


def _judge(tools: Tools, case: Case) -> Judgement | str:
    """Analyses a run's capture, keeps the analysis beside the results, and judges it."""
    try:
        analysis = poolscope.open(tools.capture(case)).analysis()
    except PoolscopeError as problem:
        return str(problem)
    except Exception as problem:  # a defect of the analysis is a miss like any other, and the matrix continues
        return f"the analysis broke: {problem!r}"
    write_text(REPORTS / tools.executable / f"{case.id}.json", json.dumps(analysis) + "\n")
    return judge(case, analysis)


def _said(found: Judgement | Recorded | str) -> str:
    if isinstance(found, str):
        return f"failed: {found}"
    if isinstance(found, Recorded):
        return "recorded"
    mark = "right" if found.right else "WRONG"
    method = {
        None: "",
        True: ", method right",
        False: f", method WRONG: {found.blamed}",
    }[found.blamed_right]
    return f"{found.verdict} ({found.confidence}), {mark}{method}"


if __name__ == "__main__":
    main()
