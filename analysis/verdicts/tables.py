"""The confusion matrix and the calibration table."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from poolscope.blame.interval import share_interval
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


def misses(given: list[Given]) -> list[Given]:
    """Returns the runs whose verdict is not one that was fixed for them."""
    return [g for g in given if not g.right]
