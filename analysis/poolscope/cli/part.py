"""Options that say which part of a recording is analysed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TypedDict

import click

from poolscope.base.errors import InvalidArgument
from poolscope.cli.durations import parse_moment

_SIZE = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>[kMGT]i?)B", re.IGNORECASE)
_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}
LEAST_BYTES = 1_000_000


class PartOptions(TypedDict):
    """Arguments of `poolscope.open`."""

    from_s: float | None
    until_s: float | None
    memory: int | None


def part_options(verb: Callable[..., object]) -> Callable[..., object]:
    """`--from`, `--until` and `--memory`. The verb gets them as `part`, the PartOptions."""

    @click.option(
        "--from",
        "begin",
        metavar="TIME",
        help="Analyse from this moment of the recording on, such as 90s or 00:01:30. Default: its beginning.",
    )
    @click.option(
        "--until", "end", metavar="TIME", help="Analyse up to this moment. Default: the end of the recording."
    )
    @click.option(
        "--memory",
        metavar="SIZE",
        help="What the analysis may take, such as 4GB or 512MiB; of a capture that takes more, the part with the longest "
        "waits is analysed (docs/large-captures.md). Default: four fifths of the free memory.",
    )
    @functools.wraps(verb)
    def with_part(
        *arguments: object, begin: str | None, end: str | None, memory: str | None, **others: object
    ) -> object:
        part: PartOptions = {
            "from_s": parse_moment("--from", begin),
            "until_s": parse_moment("--until", end),
            "memory": None if memory is None else parse_size("--memory", memory),
        }
        if part["until_s"] == 0:
            raise InvalidArgument(f"--until {end}: the part has to end after the recording begins")
        return verb(*arguments, part=part, **others)

    return with_part


def parse_size(option: str, text: str) -> int:
    """Returns a size such as 4GB (powers of 1000) or 512MiB (of 1024) in bytes, at least LEAST_BYTES.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise InvalidArgument(f"{option} {text}: a size with its unit, such as 4GB or 512MiB")
    unit = match["unit"].lower()
    size = float(match["number"]) * (1024 if unit.endswith("i") else 1000) ** _POWER[unit[0]]
    if not LEAST_BYTES <= size < 1 << 63:
        raise InvalidArgument(f"{option} {text}: at least 1MB")
    return int(size)
