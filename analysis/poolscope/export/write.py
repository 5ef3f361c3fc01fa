"""Writing an export: whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from poolscope.errors import ExitCode, PoolscopeError
from poolscope.export.source import Source
from poolscope.files import written_whole

if TYPE_CHECKING:
    from poolscope.export.formats import Format


@dataclass(frozen=True)
class Written:
    """What a file holds."""

    counts: dict[str, int]
    """How many of what, such as `{"items": 50, "flows": 49}`: printed, and cross-checked by tests."""
    notes: list[str] = field(default_factory=list)
    """Sentences on what this file lacks that the format could show."""


class Writer(Protocol):
    """`write(source, output, view)` of a format's module."""

    def __call__(self, source: Source, output: Path, view: str | None) -> Written:
        """Writes the file (or folder) `output`, which does not exist yet and has the suffix that was asked for.

        `view` is one of the format's views, or None where it has none. An OSError is the caller's to report.
        Raises InsufficientEvidence where the capture lacks what the format shows.
        """


def export(source: Source, form: Format, output: Path, view: str | None = None) -> Written:
    """Writes one format. A file that is there already is replaced, as by every verb; a folder only if it is empty.

    Raises PoolscopeError (usage) when `output` cannot be written, and what the format's writer raises; then there is no
    `output`, or the one that was there before.
    """
    _refuse_what_is_in_the_way(form, output)
    if output.name in ("", ".."):
        output = output.resolve()
    # Under the same name: its ending may decide what is written.
    with written_whole(output) as temporary:
        return form.writer()(source, temporary, view)


def _refuse_what_is_in_the_way(form: Format, output: Path) -> None:
    if not output.is_dir():
        if not form.suffix and output.is_file() and output.suffix.lower() != ".zip":
            raise PoolscopeError(f"cannot write {output}: it is a file, and {form.name} is a folder", ExitCode.USAGE)
        return
    if form.suffix:
        raise PoolscopeError(f"cannot write {output}: it is a folder, and {form.name} is a file", ExitCode.USAGE)
    if any(output.iterdir()):
        raise PoolscopeError(f"cannot write {output}: the folder is not empty", ExitCode.USAGE)
