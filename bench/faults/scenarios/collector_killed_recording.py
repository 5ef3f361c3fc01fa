"""The collector is killed at a random moment of the recording, however long it took to begin."""

from __future__ import annotations

from ..outcome import Outcome
from .collector_killed import TIMES, kills


def run(count: int) -> list[Outcome]:
    return kills(count or TIMES, recording=True)
