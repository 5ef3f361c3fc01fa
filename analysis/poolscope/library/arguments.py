"""Checks the arguments of callers, so that a mistake raises a clear exception at once.

A wrong type raises TypeError, an invalid value InvalidArgument (a ValueError).
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from poolscope.base.errors import InvalidArgument


def path(name: str, value: object) -> Path:
    """Returns the path of a file or folder, which need not exist."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: a str or a path, not {_kind(value)}")
    text = os.fspath(value)
    if not isinstance(text, str):
        raise TypeError(f"{name}: a path of text, not of {_kind(text)}")
    if not text or "\0" in text:
        raise InvalidArgument(f"{name}: {text!r} names no file")
    return Path(text)


def text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str, not {_kind(value)}")
    return value


def texts(name: str, value: object) -> list[str]:
    """Returns one text or several as a list. None of them may be empty."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Iterable):
        raise TypeError(f"{name}: a str or several, not {_kind(value)}")
    several = [text(name, each).strip() for each in value]
    if not several or "" in several:
        raise InvalidArgument(f"{name}: {'an empty name' if several else 'none given'}")
    return several


def numbers_by_name(name: str, value: object) -> tuple[tuple[str, float], ...]:
    """Returns a mapping of texts to numbers above 0, in order."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: a mapping, not {_kind(value)}")
    return tuple((text(name, key), positive(f"{name} {key}", number)) for key, number in value.items())


def choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Returns the word, which must be one of `choices`."""
    word = text(name, value)
    if word not in choices:
        raise InvalidArgument(f"{name} {word!r}: one of {', '.join(choices)}")
    return word


def boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name}: True or False, not {_kind(value)}")
    return value


def integer(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Returns an integer from `least` to `most`. Accepts integers of NumPy, but not True, "8" or 8.0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}: a whole number, not {_kind(value)}")
    number = int(value)
    if least is not None and number < least or most is not None and number > most:
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidArgument(f"{name} {number}: {limits}")
    return number


def positive(name: str, value: object) -> float:
    """Returns a number above 0 that is neither NaN nor infinite."""
    number = _real(name, value)
    if not (number > 0 and math.isfinite(number)):
        raise InvalidArgument(f"{name} {number:g}: a number above 0")
    return number


def not_negative(name: str, value: object) -> float:
    """Returns a number of at least 0 that is neither NaN nor infinite."""
    number = _real(name, value)
    if not (number >= 0 and math.isfinite(number)):
        raise InvalidArgument(f"{name} {number:g}: a number of at least 0")
    return number


def _real(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: a number, not {_kind(value)}")
    return float(value)


def integers(name: str, value: object) -> list[int]:
    """Returns one integer or several, ascending and without repeats."""
    if isinstance(value, numbers.Integral):
        return [integer(name, value)]
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: a whole number or several of them, not {_kind(value)}")
    several = sorted({integer(name, each) for each in value})
    if not several:
        raise InvalidArgument(f"{name}: none given")
    return several


def function(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(f"{name}: a function, not {_kind(value)}")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
