"""traces/schema.json, the single definition of tables and columns, as Python objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from poolscope.contract.tables import TableName

_DTYPES: dict[str, np.dtype[Any]] = {
    "int16": np.dtype("<i2"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "float64": np.dtype("<f8"),
    "enum": np.dtype("u1"),
    "flags": np.dtype("<u2"),
    "string": np.dtype("<i4"),
}


@dataclass(frozen=True)
class ColumnSchema:
    """One column. `values` names an enum's values by index, or the bits of flags; otherwise it is empty."""

    name: str
    type: str
    what: str
    unit: str | None
    values: tuple[str, ...]
    must: tuple[str, ...] = ()
    """The rules for its values: see "must" of the schema's conventions."""
    older: int | None = None
    """The value in every row of a table that was decoded before this column existed; None: such a table is refused."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the stored array; for strings, the type of the codes."""
        return _DTYPES[self.type]

    @property
    def is_time(self) -> bool:
        """Whether the column holds times of the capture's clock, not durations."""
        return self.unit == "ns" and "length" not in self.must

    def of(self, rule: str) -> str | None:
        """Returns the rest of a rule after its words: "stacks" for "row of stacks" and the rule "row of". Returns None
        if the column does not have the rule."""
        return next((text[len(rule) + 1 :] for text in self.must if text.startswith(f"{rule} ")), None)


@dataclass(frozen=True)
class TableSchema:
    """One table: its columns in order."""

    name: TableName
    what: str
    columns: tuple[ColumnSchema, ...]
    must: tuple[str, ...] = ()
    """The rules for its rows together."""

    def column(self, name: str) -> ColumnSchema:
        """Returns the column of this name. Raises KeyError if the table has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name}")

    @property
    def refers_to(self) -> set[str]:
        """The tables whose rows this one refers to."""
        return {of for column in self.columns if (of := column.of("row of")) is not None} | ({"streams"} - {self.name})


@dataclass(frozen=True)
class Schema:
    """Every table of a capture, by name."""

    format: int
    tables: dict[str, TableSchema]
    manifest: dict[str, Any]
    """The content of capture.json: JSON Schema's definitions by name."""


@cache
def load_schema() -> Schema:
    """Returns the schema that this build reads: packaged beside this module, or from traces/ in the source tree."""
    packaged = files("poolscope") / "schema.json"
    source = Path(__file__).resolve().parents[3] / "traces" / "schema.json"
    text = packaged.read_text("utf-8") if packaged.is_file() else source.read_text("utf-8")
    raw = json.loads(text)
    tables = {
        name: TableSchema(
            name=name,
            what=table["what"],
            columns=tuple(
                ColumnSchema(
                    c["name"],
                    c["type"],
                    c["what"],
                    c.get("unit"),
                    tuple(c.get("values", ())),
                    tuple(c.get("must", ())),
                    c.get("older"),
                )
                for c in table["columns"]
            ),
            must=tuple(table.get("must", ())),
        )
        for name, table in raw["tables"].items()
    }
    return Schema(raw["format"], tables, raw["manifest"])


def flag(table: TableName, name: str, column: str = "flags") -> int:
    """Returns the bit of a named flag, for masks: `items.flags & flag("work_items", "inlined")`."""
    return 1 << load_schema().tables[table].column(column).values.index(name)


def enum(table: TableName, column: str, name: str) -> int:
    """Returns the stored value of a named enum value."""
    return load_schema().tables[table].column(column).values.index(name)
