"""The formats, in the order in which `--help` lists them; an export is written whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.base.files import written_whole
from poolscope.export.source import Source, Writer, Written


@dataclass(frozen=True)
class Format:
    """One format. Its module, `poolscope.export.MODULE`, has a function `write` (see Writer)."""

    name: str
    suffix: str
    """For the file that is written without `-o`; empty: a folder."""
    module: str
    what: str
    """What opens it, for `--help`."""
    views: tuple[str, ...] = ()
    """Values of `--view` that it takes, its default first; none: it has one view only."""

    def writer(self) -> Writer:
        """Imports the writer on first use: no run loads the libraries of a format that it does not write."""
        found: Writer = import_module(f"{Source.__module__.rpartition('.')[0]}.{self.module}").write
        return found


STACK_VIEWS = ("blame", "blocked", "cpu", "ready")
"""As in poolscope.export.stacks, which is not imported to say what there is."""

FORMATS = {
    f.name: f
    for f in (
        Format("perfetto", ".pftrace", "perfetto", "ui.perfetto.dev, trace_processor"),
        Format("speedscope", ".speedscope.json", "speedscope", "speedscope.app", STACK_VIEWS),
        Format("folded", ".folded", "folded", "flamegraph.pl, inferno, speedscope.app", STACK_VIEWS),
        Format("perfview", ".perfView.xml.zip", "perfview", "PerfView's stack viewer: waits of items by cause"),
        Format("csv", "", "tables_csv", "spreadsheets, databases, anything; a folder, or a .zip of it"),
    )
}


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
