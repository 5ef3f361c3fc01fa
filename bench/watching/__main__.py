"""`./build.sh bench watching cost|rotations|faults|top`: measures the cost of `watch` and `top`, whether it grows, and
the faults that `watch` catches (docs/watch.md)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import cost, faults, graph, looking, rotations
from .processes import Service

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reports" / "watching"
GRAPH = ROOT / "docs" / "images" / "watching.svg"


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build bench watching", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("cost", help="pairs of stretches, watched and not")
    one.add_argument(
        "--rate", type=int, action="append", default=[], help="requests a second; may repeat (default: 200, 500)"
    )
    one.add_argument("--pairs", type=int, default=3, help="default: 3")
    one.add_argument("--seconds", type=float, default=15.0, help="of a stretch; default: 15")
    two = verbs.add_parser("rotations", help="slots at an accelerated beat")
    two.add_argument("--count", type=int, default=3000, help="default: 3000, half an hour")
    three = verbs.add_parser("faults", help="faults at random moments, each captured and judged")
    three.add_argument("--count", type=int, default=10, help="default: 10")
    three.add_argument("--minutes", type=float, default=20.0, help="default: 20")
    three.add_argument("--rate", type=int, default=500, help="requests a second all the time; default: 500")
    three.add_argument("--seed", type=int, default=1, help="of the moments; default: 1")
    three.add_argument("-o", type=Path, required=True, help="folder for the captures")
    four = verbs.add_parser("top", help="stretches that `top` looks at, and not")
    four.add_argument("--rate", type=int, default=500, help="requests a second; default: 500")
    four.add_argument("--pairs", type=int, default=2, help="default: 2")
    four.add_argument("--seconds", type=float, default=20.0, help="of a stretch; default: 20")
    for each in (one, three):
        each.add_argument("options", nargs="*", help="of the watcher, behind --")
    arguments = parser.parse_args(given)
    RESULTS.mkdir(parents=True, exist_ok=True)
    if arguments.verb == "cost":
        rows = cost.run(
            tuple(arguments.rate or (200, 500)), arguments.pairs, arguments.seconds, tuple(arguments.options)
        )
        (RESULTS / "cost.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    elif arguments.verb == "rotations":
        service = Service(cost.DB_MS)
        try:
            found = rotations.run(arguments.count, service)
            (RESULTS / "rotations.json").write_text(json.dumps(rotations.curves(found), indent=1) + "\n", "utf-8")
            print(json.dumps(rotations.summary(found), indent=1))
        finally:
            service.close()
    elif arguments.verb == "top":
        looked = looking.run(arguments.rate, arguments.pairs, arguments.seconds)
        (RESULTS / "top.json").write_text(json.dumps(looked, indent=1) + "\n", "utf-8")
    else:
        found = faults.run(
            arguments.count, arguments.minutes, arguments.rate, arguments.o, tuple(arguments.options), arguments.seed
        )
        file = RESULTS / "faults.json"
        file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")  # the run took 20 minutes, and judging may fail
        found = faults.judged(found)
        file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        GRAPH.write_text(graph.svg(found), "utf-8")
        print(json.dumps({key: value for key, value in found.items() if key != "samples"}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
