"""Measures the rounds: the target bare and recorded in turn, A B A B A, each recorder compared with its two
neighbours."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from . import paths
from .published import published
from .recorders import Recorder, RecorderFailed
from .service import ServiceTarget
from .target import Reading, Target, cpu_of


@dataclass(frozen=True)
class Timing:
    """Durations in seconds. `warm_up`: until the target's code is compiled at its last tier. `settle`: from a
    recorder's first sign, and from its end, to the window."""

    window: float = 1.2
    warm_up: float = 1.5
    settle: float = 0.3


@dataclass(frozen=True)
class Workload:
    """One workload. If `one_cpu`, it stays on the last CPU. If `whole`, the run ends by itself and is measured as a
    whole. The `item` is the name of its unit of work. With a `framework` it runs the program published for that, in
    place of the bundled workloads, which run on the newest one. Its `patience` is a factor of the windows, the warm-up
    and the settling."""

    name: str
    title: str
    arguments: tuple[str, ...]
    one_cpu: bool = False
    whole: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    framework: str = ""
    item: str = "item"
    patience: float = 1.0

    def start(self, cpu: int, *options: str) -> Target | ServiceTarget:
        """Starts the target, on CPU `cpu` if `one_cpu`."""
        return Target(self.command(*options), cpu if self.one_cpu else None, self.environment)

    def command(self, *options: str) -> list[str]:
        """Returns the command that starts it."""
        if self.framework:
            return [str(published(self.framework)), *self.arguments, "3600"]
        return [str(paths.WORKLOADS), "run", *self.arguments, *options, "--meter", "--json"]


@dataclass(frozen=True)
class ServiceWorkload(Workload):
    """The bundled service under load; `arguments` are those of http_load.py, `db_ms` is the query time."""

    db_ms: int = 1

    def start(self, cpu: int, *options: str) -> ServiceTarget:
        return ServiceTarget(self.arguments, self.db_ms, self.environment)


Sample = dict[str, Any]
Report = Callable[[str], None]


def pressure() -> float | None:
    """Returns the microseconds in which some task of the machine has waited for a CPU (PSI); None if the kernel has no
    PSI."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return float(file.readline().rsplit("total=", 1)[1])
    except (OSError, IndexError, ValueError):
        return None


def _window(target: Target | ServiceTarget, seconds: float, recorder: int | None) -> Sample:
    pressed, cpu = pressure(), cpu_of(recorder) if recorder else 0
    begin = target.read()
    time.sleep(seconds)
    end = target.read()
    used, pressed_after = cpu_of(recorder) - cpu if recorder else 0, pressure()
    waited = None if pressed is None or pressed_after is None else pressed_after - pressed
    return {**asdict(end.since(begin)), "recorder_ns": used, "pressure_us": waited}


def steady(workload: Workload, recorders: list[Recorder], timing: Timing, cpu: int, say: Report) -> Iterator[Sample]:
    """Runs one round in one process that runs throughout. A recorder that fails is left out."""
    timing = Timing(*(workload.patience * seconds for seconds in astuple(timing)))
    target = workload.start(cpu, "--work-ms", "3600000")
    try:
        target.read()
        time.sleep(timing.warm_up)
        before = _window(target, timing.window, None)
        for recorder in recorders:
            try:
                with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
                    with recorder.running(target.pid, Path(folder), timing.settle) as process:
                        recorded = _window(target, timing.window, process)
            except RecorderFailed as failure:
                say(f"left out: {failure}")
                continue
            time.sleep(timing.settle)
            after = _window(target, timing.window, None)
            yield {"recorder": recorder.name, "recorded": recorded, "bare": [before, after]}
            before = after
    finally:
        target.close()


def _whole_run(workload: Workload, recorder: Recorder | None, timing: Timing, cpu: int) -> Sample:
    target = Target(workload.command(), cpu if workload.one_cpu else None, workload.environment)
    try:
        if recorder is None:
            return _to_the_end(target, None)
        with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
            with recorder.running(target.pid, Path(folder), timing.settle) as process:
                return _to_the_end(target, process)
    finally:
        target.close()


def _to_the_end(target: Target, recorder: int | None) -> Sample:
    cpu = cpu_of(recorder) if recorder else 0
    target.read()
    summary = target.finish()
    used = cpu_of(recorder) - cpu if recorder else 0
    wall = round(summary["elapsed_ms"] * 1e6)
    return {**asdict(Reading(summary["count"], wall, 0, 0)), "recorder_ns": used, "pressure_us": None}


def whole(workload: Workload, recorders: list[Recorder], timing: Timing, cpu: int, say: Report) -> Iterator[Sample]:
    """Runs one round of whole runs, each in its own process."""
    before = _whole_run(workload, None, timing, cpu)
    for recorder in recorders:
        try:
            recorded = _whole_run(workload, recorder, timing, cpu)
        except RecorderFailed as failure:
            say(f"left out: {failure}")
            continue
        yield {"recorder": recorder.name, "recorded": recorded, "bare": [before]}


def round_of(
    workload: Workload, recorders: list[Recorder], number: int, seed: int, timing: Timing, cpu: int, say: Report
) -> Iterator[Sample]:
    """Yields the samples of one round; the order of the recorders depends only on the seed and the round."""
    order = list(recorders)
    random.Random(f"{seed}/{workload.name}/{number}").shuffle(order)
    for sample in (whole if workload.whole else steady)(workload, order, timing, cpu, say):
        yield {"workload": workload.name, "round": number, **sample}


def to_stderr(text: str) -> None:
    print(f"overhead: {text}", file=sys.stderr, flush=True)
