"""Arguments that several verbs share, and where their results go."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from poolscope.cli.completion import CapturePath
from poolscope.files import write_text

if TYPE_CHECKING:
    from poolscope.product import Analysis

__all__ = [
    "capture_argument",
    "json_option",
    "keep_beside_capture",
    "output_option",
    "redact_option",
    "redacted_name",
    "write_text",
]

Verb = TypeVar("Verb", bound=Callable[..., Any])

capture_argument = click.argument("capture", type=CapturePath())


redact_option = click.option(
    "--redact", "redacted", is_flag=True, help="Replace names, paths and arguments by tokens (docs/security.md)."
)


def redacted_name(start_utc: object) -> str:
    """When it was: a capture is named after its process, and a file's own name travels with it."""
    return "redacted-" + "".join(c for c in str(start_utc)[:19] if c.isdigit() or c == "T")


def output_option(what: str) -> Callable[[Verb], Verb]:
    """`-o`, which names the output of every verb."""
    return click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=what)


def json_option(what: str) -> Callable[[Verb], Verb]:
    """`--json`: the answer on stdout for scripts instead of for people."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def keep_beside_capture(analysis: Analysis) -> None:
    """Leaves analysis.json and the table item_parts in the capture folder, if it is one and may be written."""
    from poolscope.capture import load_schema
    from poolscope.capture.npz import write_table

    folder = analysis.capture.path
    if not folder.is_dir() or not os.access(folder, os.W_OK) or not os.access(folder / "tables", os.W_OK):
        return
    write_text(folder / "analysis.json", analysis.dumps())
    parts = analysis.item_parts()
    if not parts.empty:
        write_table(folder / "tables" / "item_parts.npz", load_schema().tables["item_parts"], parts)
