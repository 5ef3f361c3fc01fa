"""`./build.sh bench compare`: captures runs that are alike and runs whose items take longer, and checks the verdicts of
`poolscope compare` on them."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from poolscope.compare.judge import LONGER
from whatif.__main__ import machine
from whatif.capturing import COLLECT, PROGRAMS, ROOT
from whatif.page import insert
from whatif.scenario import WORKLOADS

from . import judging, page, plan
from .capturing import Programs, make

CAPTURES = ROOT / "traces" / "compare-check"
RESULTS = ROOT / "reports" / "compare-check.json"
PAGE = ROOT / "docs" / "measured" / "compare.md"
RUNS_OF_WHATIF = ROOT / "reports" / "whatif-check.json"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build bench compare", description=__doc__)
    parser.add_argument(
        "--captures", type=Path, default=CAPTURES, metavar="FOLDER", help="default: traces/compare-check"
    )
    parser.add_argument("--collect", type=Path, default=COLLECT, metavar="FILE", help="poolscope-collect")
    parser.add_argument(
        "--workloads", type=Path, default=PROGRAMS[WORKLOADS], metavar="FILE", help="poolscope-workloads"
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="longest time of a capture (default: %(default)g)")
    parser.add_argument("--judge-only", action="store_true", help="takes the captures that are there")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/measured/compare.md")
    return parser.parse_args()


def main() -> int:
    options = _arguments()
    if not options.judge_only:
        left = make(options.captures, Programs(options.collect, options.workloads), options.minutes * 60)
        if left:
            print(f"bench compare: {left} captures are still missing; call again to go on", file=sys.stderr)
    captured = judging.load(options.captures, lambda folder: print(f"analysing {folder}", file=sys.stderr))
    result = judged(captured)
    if result["alike"]["verdicts"] == 0:
        print("bench compare: no triple is whole", file=sys.stderr)
        return 1
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    text = insert(options.page.read_text("utf-8"), page.markdown(result), page.BEGIN, page.END)
    options.page.write_text(text, "utf-8")
    print(page.table(result))
    return 0 if result["alike"]["met"] and result["longer"]["met"] else 1


def judged(captured: judging.Captured) -> dict[str, Any]:
    """Returns the whole result as plain figures."""
    alike, longer = (judging.triples(captured, side) for side in ("unchanged-b", "longer"))
    groups = captured.groups()
    others = [note["others_cores"] for note in captured.notes]
    return {
        "machine": machine(),
        "captures": len(captured.notes),
        "others_median": statistics.median(others) if others else None,
        "others_most": max(others, default=None),
        "workloads": {side: " ".join(words) for side, words in plan.SIDES.items()},
        "alike": _count(alike, lambda verdict: verdict in judging.CHANGED, plan.MOST_FALSE, True),
        "longer": _count(longer, lambda verdict: verdict == LONGER, plan.LEAST_FOUND, False),
        "rows": {"alike": alike, "longer": longer},
        "singles": judging.singles(captured),
        "scatter": judging.scatter(groups),
        "floor": judging.floor_of(groups, json.loads(RUNS_OF_WHATIF.read_text("utf-8")))
        if RUNS_OF_WHATIF.exists()
        else None,
    }


def _count(rows: list[dict[str, Any]], counts: Any, limit: int, at_most: bool) -> dict[str, Any]:
    verdicts = [verdict for row in rows for verdict in row["verdicts"].values()]
    number = sum(map(counts, verdicts))
    whole = len(rows) == plan.COMPARISONS
    return {
        "verdicts": len(verdicts),
        "counted": number,
        "limit": limit,
        "met": whole and (number <= limit if at_most else number >= limit),
    }


if __name__ == "__main__":
    sys.exit(main())
