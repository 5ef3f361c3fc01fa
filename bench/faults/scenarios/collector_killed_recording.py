"""The collector is killed at a random time of the recording, however long the start took."""

from __future__ import annotations

from ..outcome import Outcome
from .collector_killed import TIMES, kills


def run(count: int) -> list[Outcome]:
    return kills(count or TIMES, recording=True)
