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
    """The lower end of the 95 % interval of the share that is right, 0 ... 1 (Clopper and Pearson); None of nothing. Runs
    of one program are alike: the interval is that of independent runs, and so it is the narrowest that can be true."""

    @property
    def share(self) -> float | None:
        """0 ... 1; None of nothing."""
        return self.right / self.given if self.given else None


def confusion(given: list[Given]) -> pd.DataFrame:
    """Counts runs: a row for each verdict that was expected first, a column for each that was given, most frequent first."""
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
    """A wrong verdict that one program was given, once or more often."""

    program: str
    """With its source: zoo/thumbnails."""
    expected: tuple[str, ...]
    verdict: str
    by_confidence: tuple[tuple[str, int], ...]
    """How often with each confidence that occurred, the surest first; a failed run has none, named ''."""
    runs: int
    """For the program, the right ones among them."""

    @property
    def times(self) -> int:
        """How often in all."""
        return sum(times for _, times in self.by_confidence)


def misses(given: list[Given]) -> list[Miss]:
    """Returns the verdicts that are not among those that were fixed for their program, the most frequent first."""
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
