"""`./build.sh bench look restless|clients|queued|page`: measures the cost of looks and checks their answers; writes
docs/measured/look.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import clients, damaged, page, queued, restless
from .targets import CENSUS, ROOT

PARTS = ("restless", "clients", "queued")
FRAMEWORKS = ("net8.0", "net9.0", "net10.0", "net11.0")


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench look", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("restless", help="a process that changes as fast as it can")
    one.add_argument("--looks", type=int, default=200, help="default: 200, five minutes")
    two = verbs.add_parser("clients", help="a web service's clients with and without looks, in turn")
    two.add_argument("--pairs", type=int, default=5, help="default: 5, five minutes")
    two.add_argument("--rate", type=int, default=200, help="requests a second; default: 200")
    two.add_argument("--looks", type=int, default=20, help="of a stretch; default: 20")
    two.add_argument("--seed", type=int, default=1, help="of the arrivals; default: 1")
    three = verbs.add_parser("queued", help="five starved programs of the zoo on each runtime")
    three.add_argument("--framework", action="append", choices=FRAMEWORKS, help="may repeat; default: all")
    four = verbs.add_parser("damaged", help="take over what `./build.sh fuzz --format dump` printed")
    four.add_argument("files", nargs="+", type=Path, metavar="FILE")
    verbs.add_parser("page", help="make the page again from the rows that are there")
    for each in (one, two, three):
        each.add_argument("--add", action="store_true", help="keep the rows of earlier runs")
    arguments = parser.parse_args()
    kept = page.read()
    if arguments.verb in PARTS:
        kept[arguments.verb] = kept.get(arguments.verb, []) if arguments.add else []
        for row in _measured(arguments):
            kept[arguments.verb].append(row)
            page.write(kept)
    elif arguments.verb == "damaged":
        kept["damaged"] = [damaged.parse(file.read_text("utf-8")) for file in arguments.files]
    page.write(kept)
    print(json.dumps(page.totals(kept), indent=1))
    return 0


def _measured(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if arguments.verb == "restless":
        return restless.run(arguments.looks)
    if arguments.verb == "clients":
        return clients.run(arguments.rate, arguments.pairs, arguments.looks, arguments.seed)
    build = [
        "dotnet",
        "build",
        str(ROOT / "bench" / "Poolscope.QueueCensus"),
        "-c",
        "Release",
        "-nologo",
        "-v",
        "quiet",
    ]
    if not CENSUS.is_file():
        subprocess.run(build, check=True)
    return (row for framework in arguments.framework or FRAMEWORKS for row in queued.run(framework))


if __name__ == "__main__":
    sys.exit(main())
