"""reports/zoo.json: every run with its judgement, and the totals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from poolscope.base.files import write_text
from zoo.case import Case
from zoo.judge import Judgement


FORMAT = 4
"""Format of zoo.json; runs in another format are dropped, and --again judges their captures."""
NOTABLE_S = 0.5
"""Core time of other processes, seconds, below which the machine counts as quiet."""


class Results:
    """The runs so far, saved after each one, so that an interrupted matrix can resume."""

    def __init__(self, file: Path) -> None:
        self._file = file
        content = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        kept = content["runs"] if content.get("format") == FORMAT else []
        self._runs: dict[str, dict[str, Any]] = {run["run"]: run for run in kept}

    def __contains__(self, case: Case) -> bool:
        return "failed" not in self._runs.get(case.id, {"failed": "not run"})

    def add(self, case: Case, found: Judgement | str, pressure: float | None) -> None:
        """Stores a run. `found` is the reason if the run failed; `pressure` is the CPU pressure before it."""
        told = {"failed": found} if isinstance(found, str) else found.to_json()
        self._runs[case.id] = {
            "run": case.id,
            "program": case.program.name,
            "kind": case.program.kind,
            "held_out": case.program.held_out,
            "framework": case.framework,
            "mode": case.mode,
            "spin": case.spin,
            "pressure_before": pressure,
            "expected": sorted(case.program.accepted(case.framework, case.mode != "launched")),
            "method": case.program.blamed,
            **told,
        }
        runs = list(self._runs.values())
        write_text(
            self._file,
            json.dumps({"format": FORMAT, "totals": totals(runs), "runs": runs}, indent=1) + "\n",
        )

    def of(self, cases: list[Case]) -> list[dict[str, Any]]:
        """Returns the stored results of these runs."""
        return [self._runs[case.id] for case in cases if case.id in self._runs]


def totals(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts over runs. A failed run is not right and has no blamed method. Runs on a quiet machine are also counted
    separately, because other verdicts may be true beside programs that hold the cores. Shares are 0..1, or None without
    runs."""
    judged = [run for run in runs if "failed" not in run]
    quiet = [run for run in judged if run["strangers_s"] < NOTABLE_S]
    asked = [run for run in judged if run["blamed_right"] is not None]
    called = [run for run in judged if run["endpoint_right"] is not None]
    return {
        "runs": len(runs),
        "failed": len(runs) - len(judged),
        "right": sum(run["right"] for run in judged),
        "right_share": _share(sum(run["right"] for run in judged), len(runs)),
        "with_method": len(asked),
        "method_right": sum(run["blamed_right"] for run in asked),
        "method_share": _share(sum(run["blamed_right"] for run in asked), len(asked)),
        "with_endpoint": len(called),
        "endpoint_right": sum(run["endpoint_right"] for run in called),
        "endpoint_share": _share(sum(run["endpoint_right"] for run in called), len(called)),
        "healthy_with_cause": [run["run"] for run in judged if run["cause_in_healthy"]],
        "sick_called_healthy": [run["run"] for run in judged if run["called_healthy"]],
        "wrong_and_sure": [run["run"] for run in judged if run["wrong_and_sure"]],
        "forbidden": [run["run"] for run in judged if run["forbidden"]],
        "held_out": sum(run["held_out"] for run in runs),
        "held_out_right": sum(run["right"] for run in judged if run["held_out"]),
        "quiet": len(quiet),
        "quiet_right": sum(run["right"] for run in quiet),
        "quiet_share": _share(sum(run["right"] for run in quiet), len(quiet)),
    }


def lines(runs: list[dict[str, Any]]) -> list[str]:
    """Returns the misses and the totals as lines of text."""
    said = [line for run in runs if (line := _miss(run))]
    t = totals(runs)
    return [
        *said,
        f"{t['right']} of {t['runs']} verdicts right ({_percent(t['right_share'])}); {t['failed']} runs failed",
        f"{t['method_right']} of {t['with_method']} blamed methods right ({_percent(t['method_share'])})",
        f"{t['endpoint_right']} of {t['with_endpoint']} endpoints right ({_percent(t['endpoint_share'])})",
        f"{len(t['healthy_with_cause'])} healthy runs with a cause found, "
        f"{len(t['sick_called_healthy'])} sick runs called healthy, "
        f"{len(t['wrong_and_sure'])} wrong verdicts with high confidence, "
        f"{len(t['forbidden'])} runs with a statement that must not be made",
        f"{t['held_out']} runs of held-out programs: {t['held_out_right']} verdicts right",
        f"{t['quiet']} runs on a quiet machine (strangers held less than {NOTABLE_S:g} s of core time): "
        f"{t['quiet_right']} verdicts right ({_percent(t['quiet_share'])})",
    ]


def _miss(run: dict[str, Any]) -> str | None:
    if "failed" in run:
        return f"{run['run']}: failed: {run['failed']}"
    wrong = []
    if not run["right"]:
        wrong.append(f"{run['verdict']} ({run['confidence']}), expected {' or '.join(run['expected'])}")
    if run["blamed_right"] is False:
        wrong.append(f"blamed {run['blamed']}, expected {run['method']}")
    if run["endpoint_right"] is False:
        wrong.append("the endpoint is not named")
    if run["forbidden"]:
        wrong.append(f"must not say {', '.join(run['forbidden'])}")
    if wrong and run["strangers_s"] >= NOTABLE_S:
        wrong.append(f"processes that are no part of the run held {run['strangers_s']:.1f} s of core time")
    return f"{run['run']}: {'; '.join(wrong)}" if wrong else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f} %"
