"""`./build.sh bench decode`: decodes the streams of large captures with Poolscope and with the well-known tool for
each, in turn; writes reports/decode.json."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from .goals import table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reports" / "decode.json"

STREAMS = ("runtime", "scheduler", "stop")
"""Each is a module beside this one with `rows(options) -> list[dict]`."""


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="build bench decode", description=__doc__)
    found.add_argument("--pairs", type=int, default=5, help="decodings by either, in turn (default: %(default)s)")
    found.add_argument("--only", choices=STREAMS, help="one stream alone; the rows of the other stay as they were")
    found.add_argument("--capture", type=Path, metavar="FOLDER", help="a capture to decode, instead of a new one")
    found.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the new captures there")
    found.add_argument(
        "--seconds", type=float, default=3.0, help="length of the new runtime's stream (default: %(default)s)"
    )
    found.add_argument(
        "--switching", type=float, default=3.0, metavar="SECONDS", help="and of the scheduler's (default: %(default)s)"
    )
    found.add_argument("--stops", type=int, default=3, help="busy recordings that are stopped (default: %(default)s)")
    found.add_argument(
        "--minute", type=float, default=60.0, metavar="SECONDS", help="length of each of them (default: %(default)s)"
    )
    return found


def measured(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Returns the rows of all streams: new ones for the selected streams, and those of the earlier run for the
    others."""
    former = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    rows: list[dict[str, Any]] = []
    for stream in STREAMS:
        if options.only in (None, stream) and importlib.util.find_spec(f"decode.{stream}"):
            rows += importlib.import_module(f"decode.{stream}").rows(options)
        else:
            rows += [row for row in former if row["id"].startswith(f"{stream}.")]
    return rows


def main() -> int:
    options = parser().parse_args()
    rows = measured(options)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))
    print(f"bench decode: {RESULTS.relative_to(ROOT)}")
    return 0 if all(row["met"] is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
