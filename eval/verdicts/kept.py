"""docs/measured/verdicts.json: every verdict so far, so that a long measurement can resume, also in another clone."""

from __future__ import annotations

import json
from pathlib import Path

from poolscope.base.files import write_text
from verdicts.given import Given

FORMAT = 1


class Kept:
    """The verdicts on disk; verdicts in another format are dropped."""

    def __init__(self, file: Path) -> None:
        self._file = file
        content = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        rows = content["verdicts"] if content.get("format") == FORMAT else []
        self._by_run = {given.run: given for given in map(Given.from_json, rows)}

    def __contains__(self, run: str) -> bool:
        return run in self._by_run and self._by_run[run].verdict != "failed"

    def add(self, given: Given) -> None:
        """Stores a verdict, replacing an earlier one of the same run."""
        self._by_run[given.run] = given
        rows = [row.to_json() for row in self._by_run.values()]
        write_text(
            self._file,
            json.dumps({"format": FORMAT, "verdicts": rows}, indent=1) + "\n",
        )

    def all(self) -> list[Given]:
        """Returns all verdicts in the order in which they were added."""
        return list(self._by_run.values())
