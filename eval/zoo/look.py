"""`./build.sh zoo --look`: one look at each program while its fault lasts, and one at a core dump of the same time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seeds.pressure import pressure_now
from zoo.case import Case
from zoo.expected import Program
from zoo.failed import RunFailed
from zoo.judge import CALM, NO_ANSWER
from zoo.record import Tools, started
from zoo.surroundings import around

AFTER_S = 3.0
"""Time from the onset to the look: the fault lasts, and the pool has not yet recovered."""
PRESSURE_S = 1.0
LONGEST_S = 60.0
"""Time limit of a look."""
SOON_S = 1.0
"""Time limit of the first answer about a process."""
HOLDERS_RIGHT = 0.95


@dataclass(frozen=True)
class Look:
    """The answer of one look, and whether each part of it was right."""

    run: str
    program: str
    kind: str
    framework: str
    source: str
    """process or dump."""
    verdict: str
    confidence: str
    text: str
    right: bool | None
    """None if the look says that it cannot tell."""
    holder: str | None
    """The program's own method that most threads inside items are in."""
    holder_right: bool | None
    """None without a method to blame."""
    cause_in_healthy: bool
    called_healthy: bool
    queued: dict[str, int]
    """Queued items by method."""
    not_read: int | None
    """Threads whose stacks were not read."""
    first_s: float
    """Seconds from the command's start to its first answer; for a dump, to its only one."""
    whole_s: float
    """Seconds to its end; for a process, with the second look."""
    pressure_before: float | None = None
    """CPU pressure in the second before (PSI `some`, percent): a time on a busy machine shows nothing. None: not
    recorded."""


def cases(programs: list[Program], frameworks: list[str]) -> Iterator[Case]:
    """Yields a run of each program that is healthy, or whose fault lasts and belongs to a method."""
    for program in programs:
        if program.kind == "healthy" or (program.attached and program.blamed):
            for framework in frameworks:
                yield Case(program, framework, "attached", 1, False)


def looks(tools: Tools, look: Path, case: Case, with_dump: bool) -> Iterator[Look]:
    """Starts the program and looks at it. `look` is the command with the verb. Raises RunFailed."""
    program = tools.program(case.framework)
    with around(case.program.needs) as before:
        command = [*before, str(program), case.program.name, "--seconds", str(case.seconds)]
        with started(command, dict(os.environ)) as pid:
            time.sleep(case.program.onset_s + AFTER_S - PRESSURE_S)
            pressure = pressure_now(PRESSURE_S)
            first_s = _first_answer_s([str(_typed(look)), "look", "-p", str(pid)])
            found, whole_s = _json([str(look), "look", "-p", str(pid), "--json"])
            yield judge(case, "process", found, first_s, whole_s, pressure)
            if not with_dump:
                return
            with tempfile.TemporaryDirectory(prefix="zoo-look-") as folder:
                core = Path(folder) / "core"
                _dump(program.with_name("createdump"), pid, core)
                found, whole_s = _json([str(look), "look", str(core), "--json"])
            yield judge(case, "dump", found, whole_s, whole_s, pressure)


def judge(
    case: Case, source: str, found: Mapping[str, Any], first_s: float, whole_s: float, pressure: float | None = None
) -> Look:
    """Compares the output of `look --json` with the values fixed for the program."""
    program, verdict = case.program, found["verdict"]
    method = holder(found["threads"]["groups"])
    blamed = program.blamed
    return Look(
        run=f"{program.name}-{case.framework}-{source}",
        program=program.name,
        kind=program.kind,
        framework=case.framework,
        source=source,
        verdict=verdict["id"],
        confidence=verdict["confidence"],
        text=found["text"],
        right=None if verdict["id"] == NO_ANSWER else verdict["id"] in program.accepted(case.framework, attached=True),
        holder=method,
        holder_right=None if blamed is None else method is not None and bool(re.search(blamed, method)),
        cause_in_healthy=program.kind == "healthy" and verdict["id"] not in (*CALM, NO_ANSWER),
        called_healthy=program.kind == "sick" and verdict["id"] in CALM,
        queued=_by_method(found["queue"]["items"]),
        not_read=found["threads"]["not_read"],
        first_s=round(first_s, 3),
        whole_s=round(whole_s, 3),
        pressure_before=pressure if pressure is None else round(pressure, 1),
    )


def holder(groups: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns the method that most threads inside items are in, the first of equals; None if no own method is seen."""
    counts: Counter[str] = Counter()
    for group in groups:
        if group["method"]:
            counts[group["method"]] += group["count"]
    return counts.most_common(1)[0][0] if counts else None


def _by_method(items: list[Mapping[str, Any]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for item in items:
        counts[item["method"]] += item["count"]
    return dict(counts)


def totals(found: list[Look]) -> dict[str, Any]:
    """Counts over looks; shares are 0..1, or None without looks."""
    asked = [look for look in found if look.holder_right is not None]
    right = sum(bool(look.holder_right) for look in asked)
    told = [look for look in found if look.right is not None]
    return {
        "looks": len(found),
        "with_holder": len(asked),
        "holder_right": right,
        "holder_share": right / len(asked) if asked else None,
        "told": len(told),
        "verdict_right": sum(bool(look.right) for look in told),
        "healthy_with_cause": [look.run for look in found if look.cause_in_healthy],
        "sick_called_healthy": [look.run for look in found if look.called_healthy],
        "first_s_max": max((look.first_s for look in found if look.source == "process"), default=None),
        "dump_s_max": max((look.whole_s for look in found if look.source == "dump"), default=None),
    }


def lines(found: list[Look]) -> list[str]:
    """Returns the misses and the totals as lines of text."""
    counted = totals(found)
    return [
        *(
            f"{look.run}: {look.verdict}, holder {look.holder}"
            for look in found
            if look.right is False or look.holder_right is False
        ),
        f"{counted['holder_right']} of {counted['with_holder']} holders right",
        f"{counted['verdict_right']} of {counted['told']} verdicts right; "
        f"{counted['looks'] - counted['told']} looks cannot tell",
        f"{len(counted['healthy_with_cause'])} looks at healthy programs with a cause, "
        f"{len(counted['sick_called_healthy'])} at sick ones that found none",
        f"first answer after {_seconds(counted['first_s_max'])} at most, "
        f"a dump's after {_seconds(counted['dump_s_max'])}",
    ]


def passes(found: list[Look]) -> bool:
    """Returns whether the looks meet the limits."""
    counted = totals(found)
    share, slowest = counted["holder_share"], counted["first_s_max"]
    return (
        not counted["healthy_with_cause"]
        and (share is None or share >= HOLDERS_RIGHT)
        and (slowest is None or slowest < SOON_S)
    )


def from_json(text: str) -> list[Look]:
    """Reads what `to_json` wrote."""
    return [Look(**look) for look in json.loads(text)["looks"]]


def to_json(found: list[Look]) -> str:
    """Returns the content of reports/zoo-look.json."""
    return json.dumps({"totals": totals(found), "looks": [asdict(look) for look in found]}, indent=1) + "\n"


def _seconds(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f} s"


def _typed(collect: Path) -> Path:
    """Returns the command that users type and that starts the collector, because its time counts."""
    beside = collect.with_name("poolscope")
    return beside if beside.is_file() else collect


def _first_answer_s(command: list[str]) -> float:
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        took = time.monotonic() - start
        process.stdout.read()
    if not said:
        raise RunFailed(f"a look said nothing (exit code {process.returncode})")
    return took


def _json(command: list[str]) -> tuple[dict[str, Any], float]:
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired as problem:
        raise RunFailed(f"a look did not end within {LONGEST_S:.0f} s") from problem
    if done.returncode != 0:
        raise RunFailed(f"a look ended with exit code {done.returncode}: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout), time.monotonic() - start


def _dump(createdump: Path, pid: int, core: Path) -> None:
    command = [str(createdump), "--withheap", "-f", str(core), str(pid)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    if done.returncode != 0 or not core.is_file():
        raise RunFailed(f"createdump ended with exit code {done.returncode}: {done.stdout.strip()[-200:]}")
