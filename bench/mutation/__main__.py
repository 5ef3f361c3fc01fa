"""`./build.sh bench mutation`: seeds faults into the mathematics and counts those that the default tests notice."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import csharp, page, plan
from .faults import Fault

REPORTS = plan.ROOT / "reports"
NOTICED = ("caught", "timeout")


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench mutation", description=__doc__)
    parser.add_argument("--csharp", action="store_true", help="the join of the decoder instead of the analysis")
    parser.add_argument("--count", type=int, default=400, help="faults to draw (400)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--only", default="", help="files whose path holds this text")
    parser.add_argument("--seconds", type=float, default=7200.0, help="begin no fault after this many seconds (7200)")
    parser.add_argument("--most-s", type=float, default=90.0, help="CPU seconds of tests for one fault (90)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="faults tried at once (one a processor)")
    parser.add_argument("--resume", action="store_true", help="resume an ended run, with its build")
    parser.add_argument("--survivors", action="store_true", help="try again what survived, with the tests of now")
    parser.add_argument("--far", action="store_true", help="the tests of findings and of the command line as well")
    parser.add_argument(
        "--tests", nargs="+", default=(), help="these tests alone, such as those added since; from analysis/tests"
    )
    parser.add_argument("--page-only", action="store_true", help="the table, from the results that are there")
    parser.add_argument("--least", type=float, default=0.9, help="share that must be caught, else exit code 1 (0.9)")
    arguments = parser.parse_args()
    name = "mutation-csharp" if arguments.csharp else "mutation"
    results = REPORTS / f"{name}.jsonl"
    if arguments.survivors:
        _keep(results, lambda row: row["outcome"] in (*NOTICED, csharp.NOT_COMPILED))
    elif not (arguments.resume or arguments.page_only):
        results.unlink(missing_ok=True)
    stop_at = time.time() + arguments.seconds
    every: list[Fault] | list[csharp.LineFault]
    every = csharp.drawn(plan.ROOT, arguments.seed) if arguments.csharp else plan.drawn(arguments.seed)
    chosen = [fault for fault in every[: arguments.count] if arguments.only in str(fault.path)]
    if not arguments.page_only:
        if arguments.csharp:
            csharp.run(
                plan.ROOT, [f for f in chosen if isinstance(f, csharp.LineFault)], results, stop_at, arguments.resume
            )
        else:
            notes = REPORTS / "mutation-reached.jsonl"
            names = tuple(arguments.tests) or plan.TESTS + (plan.FAR_TESTS if arguments.far else ())
            limits = (stop_at, arguments.most_s, arguments.jobs)
            _run([f for f in chosen if isinstance(f, Fault)], names, notes, results, limits)
    wanted = {fault.identity(plan.ROOT) for fault in chosen}
    rows = [row for row in _rows(results) if row["fault"] in wanted]
    (REPORTS / f"{name}.md").write_text(page.markdown(rows), "utf-8")
    share = page.share(rows)
    print(f"mutation: {share:.1%} of {page.count(rows)} faults caught; {len(wanted) - len(rows)} still to try")
    print(f"mutation: {results.relative_to(plan.ROOT)}, reports/{name}.md")
    return 0 if share >= arguments.least else 1


def _run(
    faults: list[Fault], names: tuple[str, ...], notes: Path, results: Path, limits: tuple[float, float, int]
) -> None:
    # Before pytest loads anything that loads the extension.
    from .driving import Driver, Limits, without_native_loop

    without_native_loop()
    import pytest
    from hypothesis import Phase, settings

    # The same examples each time, and no search for a smaller one: only the failure matters.
    settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, phases=(Phase.explicit, Phase.generate)
    )
    settings.load_profile("mutation")
    os.chdir(plan.ANALYSIS)
    tests = [f"tests/{name}" for name in names]
    tests += ["-k", " and ".join(f"not {name}" for name in plan.NOT_TESTS)]
    with tempfile.TemporaryDirectory() as place:
        driver = Driver(faults, plan.ROOT, plan.SOURCES, notes, results, Limits(*limits))
        options = ["-q", "-s", "-p", "no:cacheprovider", "--basetemp", place + "/tests", "-m", plan.LEFT_OUT]
        code = pytest.main([*options, *tests], plugins=[driver])
    if code not in (0, 5):
        sys.exit(int(code))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def _keep(path: Path, wanted: Callable[[dict[str, Any]], bool]) -> None:
    kept = [row for row in _rows(path) if wanted(row)]
    path.write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
