"""Formats numbers for the page. The words are those of poolscope.base.words; None becomes a dash."""

from __future__ import annotations

from poolscope.base import words

ABSENT = "\N{EN DASH}"
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}\N{NO-BREAK SPACE}"


def duration(ms: float | None, at_least: bool = False) -> str:
    """Returns a duration given in ms. Zero has no unit, and a lower bound has its sign."""
    if ms is None:
        return ABSENT
    text = "0" if ms == 0 else f"-{words.duration(-ms)}" if ms < 0 else words.duration(ms)
    return AT_LEAST + text if at_least else text


def moment(seconds: float | None) -> str:
    """Returns a time since the start of the capture."""
    return ABSENT if seconds is None else words.moment(seconds)


def percent(share: float | None) -> str:
    """Returns a share, 0 to 1, as a percentage."""
    return ABSENT if share is None else words.percent(share)


def count(number: float | int | None) -> str:
    """Returns an integer with thousands separators."""
    return ABSENT if number is None or number < 0 else f"{number:,.0f}"


def size(number: float | None) -> str:
    """Returns a number of bytes in decimal units."""
    return ABSENT if number is None or number < 0 else words.size(number)


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Returns a number with its noun: `1 event`, `2 events`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
