"""Options that say which part of a recording is analysed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypedDict

import click

from poolscope.base.errors import InvalidArgument
from poolscope.base.sizes import size_bytes
from poolscope.cli.durations import parse_moment

LEAST_BYTES = 1 << 20


class PartOptions(TypedDict):
    """Arguments of `poolscope.open`."""

    from_s: float | None
    until_s: float | None
    memory: int | None


def part_options(verb: Callable[..., object]) -> Callable[..., object]:
    """Adds `--from`, `--until` and `--memory`. The verb gets them as `part`, the PartOptions."""

    @click.option(
        "--from",
        "begin",
        metavar="TIME",
        help="Analyse from this moment of the recording on, such as 90s or 1m30s. Default: its beginning.",
    )
    @click.option(
        "--until", "end", metavar="TIME", help="Analyse up to this moment. Default: the end of the recording."
    )
    @click.option(
        "--memory",
        metavar="SIZE",
        help="Memory for the analysis, such as 4GB or 512MB. If a capture needs more, Poolscope analyses the part "
        "with the longest waits (docs/large-captures.md). Default: four fifths of the free memory.",
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
            raise InvalidArgument(f"--until {end}: the part must end after the recording begins")
        return verb(*arguments, part=part, **others)

    return with_part


def parse_size(option: str, text: str) -> int:
    """Returns a size such as 4GB or 512MiB in bytes, at least LEAST_BYTES.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    size = size_bytes(text)
    if size is None:
        raise InvalidArgument(f"{option} {text}: a size with its unit, such as 4GB or 512MB")
    if size < LEAST_BYTES:
        raise InvalidArgument(f"{option} {text}: at least 1MB")
    return size
