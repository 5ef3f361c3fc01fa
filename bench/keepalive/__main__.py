"""`./build.sh bench keepalive`: records a service that answers at once, under rising loads on 1,000 open connections,
and writes docs/measured/keepalive.json and its table in docs/measured/requests.md."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from latency.__main__ import ROOT, write_between
from overhead.__main__ import machine
from overhead.paths import COLLECT

from .measure import evidence, run
from .table import BEGIN, END, markdown

DATA = ROOT / "docs" / "measured" / "keepalive.json"
RATES = (1_000, 2_500, 5_000, 10_000)
LONGEST_S = 600


def _kept(again: bool) -> dict[str, Any]:
    if again or not DATA.exists():
        return {"machine": machine(), "runs": []}
    kept: dict[str, Any] = json.loads(DATA.read_text("utf-8"))
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(prog="build bench keepalive", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each rate; default 3")
    parser.add_argument("--rate", type=int, action="append", help="this rate alone; may repeat")
    parser.add_argument("--resume", action="store_true", help="keep the runs that are there, measure what is missing")
    parser.add_argument("--page-only", action="store_true", help="make the table again from keepalive.json")
    given = parser.parse_args()
    kept = _kept(again=not (given.resume or given.page_only))
    for number in range(0 if given.page_only else given.runs):
        for rate in given.rate or RATES:
            if sum(row["rate"] == rate for row in kept["runs"]) > number:
                continue
            folder = Path(tempfile.mkdtemp(prefix="keepalive-"))
            try:
                row = run(rate, folder)
                decode = [str(COLLECT), "decode", str(folder / "capture")]
                subprocess.run(decode, check=True, capture_output=True, timeout=LONGEST_S)
                kept["runs"].append(row | evidence(folder))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            print(json.dumps(kept["runs"][-1]), file=sys.stderr, flush=True)
            DATA.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    write_between(BEGIN, END, markdown(kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
