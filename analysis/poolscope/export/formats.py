"""The formats, in the order in which `--help` lists them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from poolscope.export.source import Source
from poolscope.export.writer import Writer


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
