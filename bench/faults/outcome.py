"""What a scenario found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One row of docs/measured/faults.md.

    `held`: nobody was harmed and the capture says what it lacks; None if it could not be tried, as `measured` says.
    """

    situation: str
    happens: str
    measured: str
    held: bool | None
