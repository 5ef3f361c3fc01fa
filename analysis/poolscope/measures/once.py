"""Measures that several parts of a report ask for: each is worked out once for an attribution."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from poolscope.attribution.attribute import Attribution
from poolscope.capture import DecodedCapture

Result = TypeVar("Result")


def once(
    measure: Callable[[DecodedCapture, Attribution], Result],
) -> Callable[[DecodedCapture, Attribution], Result]:
    """Keeps the result with the attribution, which is of one capture: anyone who asks again gets the same object, so nobody may
    change it."""

    @wraps(measure)
    def kept(capture: DecodedCapture, attribution: Attribution) -> Result:
        name = measure.__qualname__
        if name not in attribution.kept:
            attribution.kept[name] = measure(capture, attribution)
        return cast(Result, attribution.kept[name])

    return kept


def forget(attribution: Attribution, measure: Callable[[DecodedCapture, Attribution], object]) -> None:
    """Gives the memory of a result back that no later step needs; a later call computes it again."""
    attribution.kept.pop(measure.__qualname__, None)
