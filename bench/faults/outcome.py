"""The result of a scenario."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One row of docs/measured/faults.md.

    `held`: no process was harmed and the capture says what it lacks; None if the scenario could not run, with the
    reason in `measured`.
    """

    situation: str
    happens: str
    measured: str
    held: bool | None
