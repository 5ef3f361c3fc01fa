"""`./build.sh bench fleet`: analyses artificial fleets of several sizes, without and with the cache, and checks that
the planted causes are found."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .making import BAD_HOST, BAD_VERSION, SLOW_ROUTE, make

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reports" / "fleet.json"
SIZES = (250, 500, 1000)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build bench fleet", description=__doc__)
    parser.add_argument(
        "--zoo",
        type=Path,
        default=ROOT / "traces" / "zoo",
        metavar="FOLDER",
        help="recordings of the zoo; default: traces/zoo",
    )
    parser.add_argument(
        "--captures", type=int, nargs="+", default=list(SIZES), metavar="N", help="default: 250 500 1000"
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keeps captures, cache and page there; default: nothing"
    )
    return parser.parse_args()


def main() -> int:
    try:
        results = _all(_arguments())
    except FileNotFoundError as error:  # no recordings from which to make a fleet
        print(f"bench fleet: {error}", file=sys.stderr)
        return 2
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 0


def _all(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures every size, and prints each result at once."""
    results = []
    for captures in options.captures:
        place = options.keep or Path(tempfile.mkdtemp(prefix="poolscope-bench-fleet-", dir=ROOT / "artifacts"))
        try:
            results.append(measured(options.zoo, place, captures, options.workers))
        finally:
            if options.keep is None:
                shutil.rmtree(place, ignore_errors=True)
        print(json.dumps(results[-1], indent=1))
    return results


def measured(zoo: Path, place: Path, captures: int, workers: int) -> dict[str, Any]:
    """Makes a fleet of this many captures, analyses it without and with its cache, and returns the figures."""
    made = make(zoo, place / "captures", captures)
    shutil.rmtree(place / "cache", ignore_errors=True)
    first, content = _asked(place, workers)
    second, again = _asked(place, workers)
    named = [f"{row['key']} {row['value']}" for row in content["ranking"]]
    wanted = {f"host {BAD_HOST}", f"version {BAD_VERSION}", f"route {SLOW_ROUTE}"}
    same = {key: again[key] == content[key] for key in ("whole", "ranking", "code", "failed")}
    return {
        "captures": captures,
        "planted": made,
        "workers": workers,
        "analysed": content["captures"]["analysed"],
        "first_s": round(first["seconds"], 2),
        "second_s": round(second["seconds"], 2),
        "times_faster": round(first["seconds"] / second["seconds"], 1),
        "largest_process_mb": first["largest_mb"],
        "client_second_mb": second["largest_mb"],
        "page_mb": round((place / "fleet.html").stat().st_size / 1e6, 2),
        "from_cache_second": again["captures"]["from_cache"],
        "same_answer": all(same.values()),
        "first_rows": named[:5],
        "planted_are_the_first_three": set(named[:3]) == wanted,
        "text": content["text"],
    }


def _asked(place: Path, workers: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Runs the verb once; returns its time, the memory of its largest process, and its fleet.json."""
    command = [sys.executable, "-m", "poolscope", "fleet", str(place / "captures"), "--workers", str(workers)]
    command += ["--cache", str(place / "cache"), "-o", str(place / "fleet.html"), "--reports", "0", "--json"]
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    out = process.stdout.read()
    # wait4 reports this child alone, and the children that it has waited for.
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    if status:
        raise RuntimeError(f"poolscope fleet ended with {status}")
    return {"seconds": seconds, "largest_mb": round(used.ru_maxrss / 1024)}, json.loads(out)


if __name__ == "__main__":
    sys.exit(main())
