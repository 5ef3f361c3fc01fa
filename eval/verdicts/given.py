"""The verdict of one run, with those fixed beforehand."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

NO_ANSWER = "cannot-tell"


@dataclass(frozen=True)
class Given:
    """The verdict of one run."""

    source: str
    """zoo or seeds."""
    program: str
    """The zoo's program, or the row of the published experiments."""
    number: int
    """The run's number, from 1."""
    beside: bool
    """Whether two spinning processes ran beside it."""
    held_out: bool
    """Whether no rule was tuned on the program."""
    expected: tuple[str, ...]
    """The verdicts that are right, the main one first; empty if the run failed before any was known."""
    verdict: str
    """`failed` if the run gave no capture or the analysis gave no verdict."""
    confidence: str
    """high, medium or low; empty for a run that failed."""
    right: bool
    """Whether the verdict was fixed beforehand. A wrong verdict stays wrong beside spinning processes too."""

    @property
    def run(self) -> str:
        """Unique name of the run."""
        return f"{self.source}/{self.program}{'-spin' if self.beside else ''}-{self.number}"

    @property
    def main(self) -> str:
        """The verdict that represents the program in the table."""
        return self.expected[0] if self.expected else "unknown"

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as they are."""
        return asdict(self)

    @staticmethod
    def from_json(row: dict[str, Any]) -> Given:
        """Reads what `to_json` wrote."""
        fields: dict[str, Any] = {**row, "expected": tuple(row["expected"])}
        return Given(**fields)
