"""The confusion matrix and the calibration table."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import pandas as pd
from poolscope.blame.sampling import share_interval
from verdicts.given import Given

CONFIDENCES = ("high", "medium", "low")


@dataclass(frozen=True)
class Calibration:
    """How often the verdicts of one confidence were right."""

    confidence: str
    given: int
    right: int
    least: float | None
    """The lower end of the 95 % interval of the share of right verdicts, 0 ... 1 (Clopper and Pearson); None without
    runs. Runs of one program are alike, but the interval assumes independent runs, so the true one is at least as
    wide."""

    @property
    def share(self) -> float | None:
        """0 ... 1; None without runs."""
        return self.right / self.given if self.given else None


def confusion(given: list[Given]) -> pd.DataFrame:
    """Counts runs: a row for each main expected verdict, a column for each verdict given, most frequent first."""
    table = pd.DataFrame({"expected": [g.main for g in given], "given": [g.verdict for g in given]})
    counts = pd.crosstab(table["expected"], table["given"])
    rows = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    columns = [name for name in rows if name in counts.columns]
    columns += [name for name in counts.columns if name not in columns]
    return counts.loc[rows, columns]


def calibration(given: list[Given]) -> list[Calibration]:
    """Returns a row for each confidence."""
    found = []
    for confidence in CONFIDENCES:
        these = [g for g in given if g.confidence == confidence]
        right = sum(g.right for g in these)
        least = share_interval(right / len(these), float(len(these)))[0] if these else None
        found.append(Calibration(confidence, len(these), right, least))
    return found


@dataclass(frozen=True)
class Miss:
    """A wrong verdict of one program, in one run or more."""

    program: str
    """With its source, such as zoo/thumbnails."""
    expected: tuple[str, ...]
    verdict: str
    by_confidence: tuple[tuple[str, int], ...]
    """The number of runs with each confidence that occurred, the highest first; a failed run has none, named ''."""
    runs: int
    """All runs of the program, the right ones included."""

    @property
    def times(self) -> int:
        """The total number of these runs."""
        return sum(times for _, times in self.by_confidence)


def misses(given: list[Given]) -> list[Miss]:
    """Returns the verdicts that differ from those fixed for their program, the most frequent first."""
    runs = Counter((g.source, g.program) for g in given)
    wrong: dict[tuple[str, str, tuple[str, ...], str], Counter[str]] = defaultdict(Counter)
    for g in given:
        if not g.right:
            wrong[g.source, g.program, g.expected, g.verdict][g.confidence] += 1
    found = [
        Miss(
            f"{source}/{program}",
            expected,
            verdict,
            tuple((name, times[name]) for name in (*CONFIDENCES, "") if times[name]),
            runs[source, program],
        )
        for (source, program, expected, verdict), times in wrong.items()
    ]
    return sorted(found, key=lambda miss: -miss.times)
