"""`./build.sh whatif-check --advised`: records sick programs of the zoo, applies the fix that each page recommends, and
compares the result by the clients' or the items' own clock. Writes its part of docs/measured/whatif-accuracy.md, and
docs/measured/advised-fixes.json. Kept runs are not repeated; `--again` runs nothing."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import poolscope
from poolscope.base.errors import PoolscopeError

from . import advised_page, page
from .advice import Advised, Outcome, advised
from .capturing import ROOT, RunFailed
from .zoo import CLIENT, PROGRAMS, Kept, ZooProgram, options_of, read_clock, record, run_fixed

RUNS = 3
KEPT = ROOT / "traces" / "whatif-advised"
PAGE = ROOT / "docs" / "measured" / "whatif-accuracy.md"
MEASURED = "advised-fixes.json"


def say(text: str) -> None:
    print(f"whatif-check: {text}", file=sys.stderr, flush=True)


def _arguments(given: list[str]) -> argparse.Namespace:
    names = [program.name for program in PROGRAMS]
    parser = argparse.ArgumentParser(prog="build whatif-check --advised", description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=names, metavar="NAME", help="may repeat")
    parser.add_argument("--again", action="store_true", help="run nothing: judge the kept captures once more")
    parser.add_argument("--record-only", action="store_true", help="record what is missing, and judge nothing")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="with each fix (default: %(default)s)")
    parser.add_argument("--under", default="", metavar="WORDS", help="a command that runs each program")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FOLDER", help="default: traces/whatif-advised")
    parser.add_argument(
        "--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/measured/whatif-accuracy.md"
    )
    return parser.parse_args(given)


def _recommended(program: ZooProgram, kept: Kept) -> Advised | str:
    """Returns the advised fix of the recorded run, or the reason for having none."""
    analysis = poolscope.open(kept.capture).analysis()
    (kept.folder / "analysis.json").write_text(json.dumps(analysis) + "\n", "utf-8")
    found = advised(analysis)
    if found is None:
        return "no figure: " + next((f["reason"] or "" for f in analysis["fixes"]), "no fix")
    if options_of(found.fix, found.label, program) is None:
        return f"'{found.label}' cannot be applied to it"
    if program.clock == CLIENT and not found.of_requests:
        what_if = analysis["what_if"]
        told = what_if and what_if["requests"]
        return f"no figure of requests: {told['why_not'] if told else 'none were tied'}"
    return found


def _outcome(program: ZooProgram, kept: Kept, chosen: Advised, arguments: argparse.Namespace) -> Outcome | str:
    options = options_of(chosen.fix, chosen.label, program)
    assert options is not None
    logs = [kept.fixed(chosen.fix, number) for number in range(1, arguments.runs + 1)]
    for log in logs:
        if not log.exists() and not arguments.again:
            run_fixed(program, options, log, arguments.under)
    after = [read_clock(log, program.clock) for log in logs if log.exists()]
    if not after:
        return f"'{chosen.label}' was not run yet"
    return Outcome(program.name, program.clock, chosen, read_clock(kept.baseline, program.clock), after)


def _judged(program: ZooProgram, arguments: argparse.Namespace) -> Outcome | str | None:
    """Judges one program. Returns None if it is not recorded yet, or is only to be recorded."""
    kept = Kept(arguments.kept / program.name)
    if not kept.baseline.exists():
        if arguments.again:
            return None
        record(program, kept, arguments.under)
    if arguments.record_only:
        return None
    found = _recommended(program, kept)
    return found if isinstance(found, str) else _outcome(program, kept, found, arguments)


def main(given: list[str]) -> int:
    """Runs the verb; returns 1 if a program could not be run or its advice has no figure."""
    arguments = _arguments(given)
    results: dict[str, Outcome | str] = {}
    for program in PROGRAMS:
        if arguments.only and program.name not in arguments.only:
            continue
        try:
            result = _judged(program, arguments)
        except (RunFailed, PoolscopeError) as error:
            result = f"failed: {error}"
        if result is not None:
            results[program.name] = result
            say(f"{program.name}: {result if isinstance(result, str) else advised_page.line(result)}")
    if arguments.record_only or arguments.only:
        return 0
    text = arguments.page.read_text("utf-8")
    measured = advised_page.markdown(results)
    arguments.page.write_text(page.insert(text, measured, advised_page.BEGIN, advised_page.END), "utf-8")
    content = {name: r if isinstance(r, str) else asdict(r) for name, r in results.items()}
    file = arguments.page.parent / MEASURED
    file.write_text(json.dumps({"format": 1, "programs": content}, indent=1) + "\n", "utf-8")
    print("\n".join(advised_page.summary(results)))
    return 1 if any(isinstance(r, str) for r in results.values()) else 0
