"""The command: runs until a count or a time is reached, and prints the result."""

from __future__ import annotations

import argparse
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

from fuzz.kinds import KINDS, WEB, WEB_KIND
from fuzz.memory import Original
from fuzz.verdicts import CONFIDENT_AND_WRONG, Judge

GOLDEN = Path(__file__).resolve().parents[2] / "traces" / "golden"
VERDICTS = "verdicts"
SLOW_S = 10.0
"""Maximum time for one input."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("kind", choices=[*KINDS, VERDICTS])
    parser.add_argument("captures", nargs="*", type=Path, help="default: the golden captures")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    originals = [Original(path) for path in given.captures or sorted(GOLDEN.glob("*.zip"))]
    if given.kind == WEB_KIND:
        originals = [one for one in originals if not set(WEB).isdisjoint(one.tables)]
        if not originals:
            parser.error(f"kind {WEB_KIND} takes captures with one of the tables {', '.join(WEB)}")
    judges = [Judge(original) for original in originals] if given.kind == VERDICTS else []
    found: Counter[str] = Counter()
    began, slowest = time.monotonic(), 0.0
    for number in range(given.count):
        if time.monotonic() - began > given.seconds:
            break
        rng = np.random.default_rng((given.seed, number))
        at = time.monotonic()
        try:
            if judges:
                outcome, damage = judges[number % len(judges)].judge(rng)
                if outcome == CONFIDENT_AND_WRONG:
                    print(f"{number}: {judges[number % len(judges)].original.name}: {damage}", flush=True)
            else:
                outcome = KINDS[given.kind](originals[number % len(originals)], rng)
        except Exception as error:
            outcome = f"DEFECT {type(error).__name__}"
            print(f"{number}: {traceback.format_exc()}", flush=True)
        slowest = max(slowest, time.monotonic() - at)
        found[outcome] += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{given.kind}, seed {given.seed}: {sum(found.values()):,} inputs in {time.monotonic() - began:.0f} s, {dict(found)}"
    )
    print(f"slowest {slowest:.2f} s, memory {memory} MB")
    return int(any(o.startswith("DEFECT") or o == CONFIDENT_AND_WRONG for o in found) or slowest > SLOW_S)


if __name__ == "__main__":
    sys.exit(main())
