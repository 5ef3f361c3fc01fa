"""`./build.sh whatif-check`: captures scenarios, predicts changes of their settings, makes the changes for real, and
writes docs/measured/whatif-accuracy.md and docs/measured/whatif-accuracy.json. Best on an idle machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from poolscope.base.errors import PoolscopeError

from . import accuracy, capturing, claims, figures, page, quiet
from .samples import Samples
from .scenario import ITEMS, Change, Scenario
from .scenarios import BY_NAME, SCENARIOS

RUNS = 3
ADVISED = "--advised"
"""Compares the advised fixes of the zoo's programs with real runs instead; it has its own options."""
SAMPLES = capturing.ROOT / "reports" / "whatif-check.json"
PAGE = capturing.ROOT / "docs" / "measured" / "whatif-accuracy.md"
CAUSES = Path(__file__).with_name("causes.json")
ATTEMPTS = 3
"""Maximum number of tries of a run that other processes disturb; the quietest one counts, whatever its result."""


def say(text: str) -> None:
    print(f"whatif-check: {text}", file=sys.stderr, flush=True)


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build whatif-check", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a scenario; may repeat")
    parser.add_argument("--quick", action="store_true", help=f"one run of each change instead of {RUNS}")
    parser.add_argument("--resume", action="store_true", help="keep what was measured, measure what is missing")
    parser.add_argument(
        "--quieter", action="store_true", help="with --resume: make the runs again that other processes disturbed"
    )
    parser.add_argument("--predict-only", action="store_true", help="measure nothing, predict again from the baselines")
    parser.add_argument("--measure-only", action="store_true", help="predict nothing, write no page")
    parser.add_argument("--seed", type=int, default=1, help="of the simulations (default: %(default)s)")
    parser.add_argument(
        "--patience",
        type=float,
        default=30.0,
        metavar="S",
        help="longest wait for a quiet machine (default: %(default)s)",
    )
    parser.add_argument(
        "--attempts",
        type=int,
        default=ATTEMPTS,
        metavar="N",
        help="tries of a disturbed run (default: %(default)s)",
    )
    parser.add_argument(
        "--samples", type=Path, default=SAMPLES, metavar="FILE", help="default: reports/whatif-check.json"
    )
    parser.add_argument(
        "--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/measured/whatif-accuracy.md"
    )
    parser.add_argument(ADVISED, action="store_true", help="apply the advised fixes of the zoo; see --advised --help")
    parser.add_argument("--list", action="store_true", help="name the scenarios and their commands")
    arguments = parser.parse_args(given)
    if unknown := [name for name in arguments.only if name not in BY_NAME]:
        parser.error(f"--only knows no '{unknown[0]}'; there are: {' '.join(BY_NAME)}")
    if arguments.predict_only and arguments.measure_only:
        parser.error("--predict-only and --measure-only leave nothing to do")
    if arguments.attempts < 1:
        parser.error("--attempts must be at least 1")
    return arguments


def machine() -> dict[str, Any]:
    """Returns a description of the machine."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    return {
        "processor": next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), "unknown"),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release().split("-")[0],
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


@dataclass(frozen=True)
class Effort:
    """The effort spent on a quiet run."""

    runs: int
    patience: float
    """Seconds to wait for a quiet machine."""
    attempts: int
    quieter: bool
    """Whether disturbed runs are made again."""

    def wanted(self, sample: dict[str, Any] | None) -> bool:
        """Returns whether a run is to be made in place of this sample."""
        return sample is None or (self.quieter and sample["others_cores"] > accuracy.DISTURBED)


def _recorded(
    scenario: Scenario, change: Change | None, number: int, best: dict[str, Any] | None, effort: Effort
) -> dict[str, Any]:
    """Returns the quietest sample of `best` and new ones, and keeps its capture. Raises RunFailed."""
    for attempt in range(effort.attempts):
        seen = quiet.wait_for_quiet(effort.patience)
        if best is not None and not seen.quiet:
            say("  not quiet: the run that there is stays")
            break
        before = quiet.counters()
        new = capturing.record(scenario, change, number)
        others = quiet.others(before, quiet.counters())
        if best is None or others < best["others_cores"]:
            best = {
                "figures": figures.measure(new),
                "others_cores": round(others, 3),
                "stalled_before": round(seen.stalled, 4),
                "utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
            capturing.keep(new, capturing.folder_of(scenario.name, change, number))
        else:
            capturing.drop(new)
        if others <= accuracy.DISTURBED:
            break
        say(f"  others used {others:.2f} cores meanwhile" + ("; once more" if attempt + 1 < effort.attempts else ""))
    assert best is not None
    return best


def _measure(scenario: Scenario, samples: Samples, effort: Effort) -> None:
    """Measures the missing runs of one scenario, in rounds, so that drift affects all changes alike."""
    kept = samples.baseline(scenario) if capturing.folder_of(scenario.name, None).exists() else None
    if effort.wanted(kept):
        say(f"{scenario.name}: {scenario.baseline.text()}")
        sample = _recorded(scenario, None, 0, kept, effort)
        samples.put_baseline(scenario, sample)
        say(f"  {_short(sample['figures'][ITEMS])}")
    for number in range(1, effort.runs + 1):
        for change in scenario.changes:
            made = samples.runs(scenario, change)
            old = made[number - 1] if number <= len(made) else None
            if not effort.wanted(old) or (change.deadlock and number > 1):
                continue
            try:
                sample = _recorded(scenario, change, number, old, effort)
            except capturing.RunFailed as error:
                say(f"{scenario.name}, {change.name}: FAILED: {error}")
                continue
            samples.put_run(scenario, change, number, sample)
            say(f"{scenario.name}, {change.name}, run {number}: {_short(sample['figures'][change.figures])}")


def _short(figure: dict[str, Any]) -> str:
    return (
        f"{figure['items']} items, mean wait {figure['wait_ms']['mean']:,.1f} ms, p99 {figure['wait_ms']['p99']:,.1f} ms, "
        f"last end {figure['end_ms']:,.0f} ms"
    )


def _predict(scenario: Scenario, samples: Samples, seed: int) -> bool:
    """Predicts the changes of one scenario again; returns whether it could."""
    # Imported here, because the measuring half works without the simulator and its compiler.
    from . import predicting

    folder = capturing.folder_of(scenario.name, None)
    if samples.baseline(scenario) is None or not folder.exists():
        say(f"{scenario.name}: not measured yet")
        return False
    start = time.monotonic()
    predictions = samples.document.setdefault("predictions", {})
    # An older simulator's prediction must not remain if a newer one refuses.
    predictions.pop(scenario.name, None)
    try:
        predictions[scenario.name] = predicting.predictions_of(scenario, folder, seed)
        if scenario.name in claims.ADVISED:
            samples.document.setdefault("findings", {})[scenario.name] = predicting.findings_of(folder)
    except PoolscopeError as error:
        say(f"{scenario.name}: no prediction: {error}")
        return False
    samples.save()
    say(f"{scenario.name}: predicted in {time.monotonic() - start:.1f} s")
    return True


def _quietness(samples: Samples) -> dict[str, Any]:
    runs = [run for changes in samples.document["runs"].values() for kept in changes.values() for run in kept]
    runs += list(samples.document["baselines"].values())
    others = [run["others_cores"] for run in runs]
    return {
        "runs": len(runs),
        "others_median": median(others) if others else None,
        "others_most": max(others, default=None),
        "disturbed": sum(o > accuracy.DISTURBED for o in others),
        "stalled_most": max((run["stalled_before"] for run in runs), default=None),
    }


def write(samples: Samples, target: Path) -> dict[str, Any]:
    """Writes the page and the JSON beside it; returns the JSON's content."""
    predictions = samples.document.get("predictions", {})
    causes = json.loads(CAUSES.read_text("utf-8"))
    rows = accuracy.rows_of(SCENARIOS, samples, predictions, causes)
    said = claims.claims(rows, samples, predictions, samples.document.get("findings", {}))
    calibration = []
    for scenario in SCENARIOS:
        if (base := samples.baseline(scenario)) is not None:
            own = predictions.get(scenario.name, {}).get("as captured")
            mean = base["figures"][ITEMS]["wait_ms"]["mean"]
            calibration.append(
                {
                    "scenario": scenario.name,
                    "command": base["command"],
                    "measured_ms": mean,
                    "predicted_ms": own["wait_ms"]["mean"] if own else None,
                    "others_cores": base["others_cores"],
                }
            )
    about = {"machine": samples.document["machine"], "quiet": _quietness(samples)}
    content = page.document(rows, calibration, said, about)
    text = target.read_text("utf-8")
    target.write_text(page.insert(text, page.markdown(rows, calibration, said, about)), "utf-8")
    target.with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return content


def main(given: list[str]) -> int:
    if ADVISED in given:
        from . import advised

        return advised.main([word for word in given if word != ADVISED])
    arguments = _arguments(given)
    chosen = [BY_NAME[name] for name in arguments.only] or list(SCENARIOS)
    if arguments.list:
        for scenario in chosen:
            print(f"{scenario.name}: {scenario.baseline.text()}")
            for change in scenario.changes:
                print(f"  {change.name}: {change.program.text()}")
        return 0
    if not arguments.predict_only and sys.platform != "linux":
        print("whatif-check: captures are taken on Linux, so it is measured there", file=sys.stderr)
        return 1
    samples = Samples.load(arguments.samples)
    if not arguments.predict_only:
        for scenario in chosen if not arguments.resume else []:
            samples.forget(scenario)
        samples.document["machine"] = machine()
        effort = Effort(1 if arguments.quick else RUNS, arguments.patience, arguments.attempts, arguments.quieter)
        for scenario in chosen:
            _measure(scenario, samples, effort)
    if arguments.measure_only:
        return 0
    failed = 0
    for scenario in chosen:
        failed += not _predict(scenario, samples, arguments.seed)
    if failed == len(chosen):
        print("whatif-check: nothing to predict from; measure first, without --predict-only", file=sys.stderr)
        return 1
    content = write(samples, arguments.page)
    print(json.dumps({name: content[name] for name in ("median_error", "worst_error", "p99", "completion")}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
