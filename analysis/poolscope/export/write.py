"""Writing an export: whole or not at all."""

from __future__ import annotations

from pathlib import Path

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.base.files import written_whole
from poolscope.export.formats import Format
from poolscope.export.source import Source
from poolscope.export.writer import Written


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
