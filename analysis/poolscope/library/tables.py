"""The tables of a capture as DataFrames."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

import pandas as pd

from poolscope import capture as decoded
from poolscope.base.errors import UnknownTable, UnreadableCapture
from poolscope.capture import ColumnSchema, TableSchema, load_schema
from poolscope.library import arguments

COMPUTED = {"item_parts": "attribute", "request_parts": "requests"}
"""Tables of the schema that the analysis computes and no capture holds, with the method of Capture that returns their
content."""


class Tables(Mapping[str, pd.DataFrame]):
    """Maps names to DataFrames, for every table that the capture holds. Each table is read on first use.

    docs/tables.md describes tables and columns. Times are int64 nanoseconds of CLOCK_MONOTONIC, the clock of
    `Capture.window`. An absent value is -1 in an integer column and NaN in a float64 one. Enums and strings are pandas
    categoricals; an absent string is NaN. Flags are bits: see `flagged`.

    The caller owns each DataFrame; changing it does not change an answer of the capture.
    """

    def __init__(self, source: decoded.DecodedCapture) -> None:
        self._source = source
        self._frames: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Returns the table of this name.

        Raises UnknownTable (a KeyError) if the capture holds no such table, UnreadableCapture if it is damaged,
        TypeError if the name is no str.
        """
        if name not in self._frames:
            schema = self._schema(name)
            if not self._source.has(schema.name):
                raise UnknownTable(f"{self._source.path}: this capture holds no table {name!r}")
            self._frames[name] = readable(self._source.table(schema.name), schema)
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return (t.name for t in load_schema().tables.values() if t.name not in COMPUTED and self._source.has(t.name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in set(self)

    def __repr__(self) -> str:
        return f"<tables of {self._source.path}: {', '.join(self)}>"

    def columns(self, name: str) -> pd.DataFrame:
        """Returns the meaning of a table's columns, even if this capture lacks the table.

        There is one row per column, with the column's name as the index, `type`, `unit`, `meaning`, and the `values` of
        an enum or of flags. Raises UnknownTable if there is no table of this name, TypeError if the name is no str.
        """
        columns = self._schema(name).columns
        rows = [{"type": c.type, "unit": c.unit or "", "meaning": c.what, "values": list(c.values)} for c in columns]
        return pd.DataFrame(rows, index=pd.Index([c.name for c in columns], name="column"))

    def flagged(self, name: str, flag: str) -> pd.Series:
        """Returns whether each row of a table has a flag, such as `flagged("work_items", "inlined")`; bool, shape
        (rows,).

        Raises UnknownTable for a table that the capture lacks, or a flag that the table does not have.
        """
        arguments.text("flag", flag)
        column = next((c for c in self._schema(name).columns if c.type == "flags"), None)
        known = () if column is None else column.values
        if column is None or flag not in known:
            there = f"there are: {', '.join(known)}" if known else "it has none"
            raise UnknownTable(f"table {name} has no flag {flag!r}; {there}")
        return (self[name][column.name] & (1 << known.index(flag))) != 0

    def _schema(self, name: str) -> TableSchema:
        known = load_schema().tables
        if arguments.text("table", name) in COMPUTED:
            raise UnknownTable(f"table {name} is computed: ask Capture.{COMPUTED[name]}() for it")
        if name not in known:
            there = [t for t in known if t not in COMPUTED]
            near = difflib.get_close_matches(name, there, n=1)
            raise UnknownTable(
                f"no table {name!r}; {f'did you mean {near[0]}?' if near else 'list(capture.tables) has their names'}"
            )
        return known[name]


def readable(stored: pd.DataFrame, schema: TableSchema) -> pd.DataFrame:
    """Returns a copy with enums by name. Raises UnreadableCapture for a value without a name."""
    return pd.DataFrame({c.name: _column(stored[c.name], c, schema.name) for c in schema.columns})


def _column(stored: pd.Series, column: ColumnSchema, table: str) -> pd.Series:
    if column.type != "enum":
        return stored.copy()
    codes = stored.to_numpy()
    if len(codes) and int(codes.max()) >= len(column.values):
        raise UnreadableCapture(
            f"table {table}: {column.name} {int(codes.max())} is none of {', '.join(column.values)}"
        )
    return pd.Series(pd.Categorical.from_codes(codes.astype("int16"), categories=list(column.values)))
