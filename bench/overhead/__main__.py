"""`./build.sh bench overhead`: measures, stores the samples in reports/overhead.json, and writes
docs/measured/overhead.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from dataclasses import asdict
from typing import Any

from . import page, paths, plan, results
from .measure import Sample, Timing, pressure, round_of, to_stderr
from .recorders import BY_NAME, Recorder
from .target import silent_cpus

FORMAT = 1


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build bench overhead", description=__doc__)
    parser.add_argument("--pairs", type=int, default=plan.LEAST_PAIRS, help="rounds (default: %(default)s)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a workload or a recorder; may repeat"
    )
    parser.add_argument(
        "--resume", action="store_true", help="keep the samples that are there, measure what is missing"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the order of the recorders (default: %(default)s)")
    parser.add_argument("--window", type=float, default=Timing.window, help="seconds (default: %(default)s)")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from the samples")
    parser.add_argument("--no-page", action="store_true", help="leave docs/measured/overhead.md as it is")
    parser.add_argument(
        "--output", default=str(paths.RESULTS), metavar="FILE", help="the samples (default: reports/overhead.json)"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of the tables")
    arguments = parser.parse_args(given)
    known = {*plan.BY_NAME, *BY_NAME}
    if unknown := [name for name in arguments.only if name not in known]:
        parser.error(f"--only knows no '{unknown[0]}'; there are: {' '.join(sorted(known))}")
    if arguments.pairs < 1 or arguments.window <= 0:
        parser.error("--pairs and --window must be above zero")
    return arguments


def machine() -> dict[str, Any]:
    """Returns a description of the machine."""
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
        silent = silent_cpus(folder)
    return {
        "silent_cpus": silent,
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release().split("-")[0],
        "root": os.geteuid() == 0,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def _wanted(recorder: Recorder, only: list[str], refused: dict[str, str]) -> bool:
    named = [name for name in only if name in BY_NAME]
    return recorder.name not in refused and (not named or recorder.name in named)


def measure(arguments: argparse.Namespace, document: dict[str, Any]) -> None:
    """Adds the missing samples to the document, and saves it after every sample."""
    samples: list[Sample] = document["samples"]
    refused: dict[str, str] = document["refused"]
    workloads = [name for name in arguments.only if name in plan.BY_NAME] or list(plan.BY_NAME)
    for recorder in BY_NAME.values():
        refused.pop(recorder.name, None)
        if _wanted(recorder, arguments.only, {}) and (why := recorder.missing()):
            refused[recorder.name] = why
            to_stderr(f"{recorder.name}: {why}")
    cpu = max(os.sched_getaffinity(0))

    def failed(text: str) -> None:
        to_stderr(text)
        name, _, why = text.removeprefix("left out: ").partition(": ")
        # Only a recorder that never worked is refused; one that failed once is tried again in the next round.
        if not any(s["recorder"] == name for s in samples):
            refused[name] = why.splitlines()[0] if why else "it did not start"

    for number in range(arguments.pairs):
        for name in workloads:
            experiment = plan.BY_NAME[name]
            done = {s["recorder"] for s in samples if s["workload"] == name and s["round"] == number}
            todo = [
                recorder
                for recorder in experiment.recorders_of(number)
                if _wanted(recorder, arguments.only, refused) and recorder.name not in done
            ]
            if not todo:
                continue
            to_stderr(f"round {number + 1} of {arguments.pairs}: {name}")
            timing = Timing(window=arguments.window)
            for sample in round_of(experiment.workload, todo, number, arguments.seed, timing, cpu, failed):
                samples.append(sample)
                save(arguments.output, document)


def save(path: str, document: dict[str, Any]) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.replace(path + ".tmp", path)


def load(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    if document.get("format") != FORMAT:
        raise SystemExit(f"overhead: {path} is of another format: measure again, without --resume")
    return document


def _figures(document: dict[str, Any]) -> dict[str, Any]:
    samples = document["samples"]
    outcomes = [results.outcome(samples, goal) for goal in plan.GOALS]
    return {
        "machine": document["machine"],
        "refused": document["refused"],
        "goals": [
            {"name": o.goal.name, "limit": o.goal.limit, "met": o.met, **(asdict(o.bound) if o.bound else {})}
            for o in outcomes
        ],
        "workloads": {name: [asdict(row) for row in results.rows(samples, name)] for name in plan.BY_NAME},
    }


def main(given: list[str]) -> int:
    arguments = _arguments(given)
    if not arguments.page_only and sys.platform != "linux":
        print("overhead: captures are taken on Linux, so it is measured there", file=sys.stderr)
        return 1
    keep = arguments.page_only or (arguments.resume and os.path.exists(arguments.output))
    if keep and not os.path.exists(arguments.output):
        print(f"overhead: there is no {arguments.output} yet", file=sys.stderr)
        return 1
    document = (
        load(arguments.output) if keep else {"format": FORMAT, "machine": machine(), "refused": {}, "samples": []}
    )
    if not arguments.page_only:
        if pressure() is None:
            to_stderr("this kernel has no PSI: nothing will say how quiet the machine was")
        measure(arguments, document)
        save(arguments.output, document)
    if not arguments.no_page:
        page.write(document)
    tables = "\n".join(text for text, _, _ in page.measured_parts(document))
    print(json.dumps(_figures(document), indent=1) if arguments.json else tables)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
