"""The code to name where a finding says that items were blocked."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.blame.blame import Blame
from poolscope.blame.kinds import KIND_WORDS
from poolscope.words import percent

CLEAR_SHARE = 0.5
"""Advice points at one method only when it had most of the blocked thread time, also at the low end of the estimate."""
WORTH_NAMING = 0.1
"""As for causes: less than a tenth is not worth a sentence."""


@dataclass(frozen=True)
class Culprit:
    """The dearest row of blame."""

    method: str
    kind: str
    """A key of KIND_WORDS."""
    share: float
    """Of the thread time that items were blocked while others waited, 0 ... 1."""
    least: float
    """The low end of `share`: without the error of what is estimated."""
    estimated: float
    """Of this share, the part that is estimated, 0 ... 1."""

    @staticmethod
    def of(blame: Blame | None) -> Culprit | None:
        """None: no stacks, or the code is without a name, or it is too little to matter."""
        row = None if blame is None else blame.first
        if blame is None or row is None or row.method is None or row.thread_s < WORTH_NAMING * blame.total_s:
            return None
        return Culprit(
            row.method,
            row.kind,
            row.thread_s / blame.total_s,
            (row.thread_s - row.error_s) / blame.total_s,
            row.estimated_s / row.thread_s,
        )

    @property
    def is_clear(self) -> bool:
        return self.least >= CLEAR_SHARE

    def sentence(self) -> str:
        """Evidence of a finding."""
        kind = "" if self.kind == "unknown" else f" ({KIND_WORDS[self.kind]})"
        said = f"While others waited, blocked items were in {self.method}{kind} for {percent(self.share)} of the time"
        if self.estimated > 0:
            said += f", at least {percent(self.least)}: {percent(self.estimated)} of it is estimated from snapshots"
        return said + "."


def free_the_threads(culprit: Culprit | None) -> str:
    """Advice: one sentence, with the place of the blocking call where that is clear."""
    if culprit is None or not culprit.is_clear:
        return "Free the threads while items wait: await the blocking call instead of sleeping or waiting on it."
    if culprit.kind == "lock":
        # A lock cannot be awaited.
        return (
            f"Free the threads while items wait: they wait for a lock in {culprit.method}. Hold it for less, or guard with "
            "a SemaphoreSlim and await WaitAsync."
        )
    return (
        f"Free the threads while items wait: await the blocking call in {culprit.method} instead of sleeping or waiting "
        "on it."
    )
