"""The measurements, kept in a file that is saved after every run, so that a stopped run loses nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .scenario import Change, Scenario

FORMAT = 1


class Samples:
    """Baselines by scenario, runs by scenario, change and number. A sample measured with another command than the
    scenario's present one does not count and is measured again."""

    def __init__(self, path: Path, document: dict[str, Any] | None = None) -> None:
        self.path = path
        self.document = document or {"format": FORMAT, "machine": {}, "baselines": {}, "runs": {}}

    @staticmethod
    def load(path: Path) -> Samples:
        """Raises SystemExit with one line if the file has another format."""
        if not path.exists():
            return Samples(path)
        document = json.loads(path.read_text("utf-8"))
        if document.get("format") != FORMAT:
            raise SystemExit(f"whatif-check: {path} is of another format: move it away to measure again")
        return Samples(path, document)

    def save(self) -> None:
        """Replaces the file in one step."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".tmp")
        new.write_text(json.dumps(self.document, indent=1) + "\n", "utf-8")
        os.replace(new, self.path)

    def baseline(self, scenario: Scenario) -> dict[str, Any] | None:
        """Returns the sample of the present baseline, or None."""
        kept: dict[str, Any] | None = self.document["baselines"].get(scenario.name)
        return kept if kept and kept["command"] == scenario.baseline.text() else None

    def runs(self, scenario: Scenario, change: Change) -> list[dict[str, Any]]:
        """Returns the samples of the present form of a change, in order of their numbers."""
        kept = self.document["runs"].get(scenario.name, {}).get(change.name, [])
        return [run for run in kept if run["command"] == change.program.text()]

    def put_baseline(self, scenario: Scenario, sample: dict[str, Any]) -> None:
        self.document["baselines"][scenario.name] = {"command": scenario.baseline.text(), **sample}
        self.save()

    def put_run(self, scenario: Scenario, change: Change, number: int, sample: dict[str, Any]) -> None:
        """Stores a run as `number`, from 1, or after the last one."""
        runs = self.runs(scenario, change)
        runs[number - 1 : number] = [{"command": change.program.text(), **sample}]
        self.document["runs"].setdefault(scenario.name, {})[change.name] = runs
        self.save()

    def forget(self, scenario: Scenario) -> None:
        """Drops the samples of a scenario."""
        self.document["baselines"].pop(scenario.name, None)
        self.document["runs"].pop(scenario.name, None)
