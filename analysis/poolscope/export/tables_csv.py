"""Every table of the capture as a CSV file, and the tables that the analysis adds."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray
from poolscope.base.errors import InsufficientEvidence
from poolscope.capture import ColumnSchema, DecodedCapture, TableSchema, load_schema
from poolscope.contract.tables import TableName
from poolscope.export.formats import Source, Written
from poolscope.product.parts import item_parts, request_parts

ROWS_AT_ONCE = 100_000
PARTS = "item_parts"
REQUEST_PARTS = "request_parts"
NO_PARTS = "No item_parts: causes of waits are known only where a runtime and a kernel stream were recorded."
COLUMNS = "columns"
"""The name of the file that describes each column of the others."""
GUARD = "'"
"""Prefixed to text that a spreadsheet would read as a formula; the spreadsheet then shows it as text."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", GUARD)
"""Prefixes of such text, also in full-width letters. They include the guard itself, so that removing one leading
apostrophe always restores the original name."""
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""A fixed time, so that the same capture gives the same bytes."""

Open = Callable[[str], Any]


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes a folder, or a zip if `output` ends in .zip. Only `item_parts` and `request_parts` need the attribution.

    A table that the capture does not hold has no file. An empty table has a header.
    """
    capture = source.capture
    counts: dict[str, int] = {}
    with _files(output) as opened:
        for name, schema in load_schema().tables.items():
            frame = _table(source, schema.name)
            if frame is None:
                continue
            with opened(f"{name}.csv") as file:
                write_table(file, schema, frame)
            counts[name] = len(frame)
        with opened(f"{COLUMNS}.csv") as file:
            _columns(file, list(counts))
        with opened("capture.json") as file:
            file.write(json.dumps(_card(capture), indent=1) + "\n")
    return Written(counts, [] if PARTS in counts else [NO_PARTS])


def write_table(file: IO[str], schema: TableSchema, frame: pd.DataFrame) -> None:
    """Writes a table as RFC 4180 specifies: header, commas, CR LF, quotes if needed. Absent values are empty, integers
    exact."""
    writer = csv.writer(file)
    writer.writerow([column.name for column in schema.columns])
    for begin in range(0, len(frame), ROWS_AT_ONCE):
        rows = frame.iloc[begin : begin + ROWS_AT_ONCE]
        writer.writerows(zip(*(_texts(column, rows[column.name]) for column in schema.columns)))


def _texts(column: ColumnSchema, values: pd.Series) -> list[Any]:
    """Returns the text of each value: numbers, names, and an empty text for absent values."""
    if column.type == "string":
        words = [*(guarded(str(word)) for word in values.cat.categories), ""]
        return [words[code] for code in values.cat.codes]
    array = values.to_numpy()
    if column.type == "enum":
        return [column.values[i] for i in array.tolist()]
    if column.type == "flags":
        return _flags(column, array)
    if column.type == "float64":
        return ["" if value != value else repr(value) for value in array.tolist()]
    if not (array == -1).any():
        return list(array.tolist())
    return ["" if value == -1 else value for value in array.tolist()]


def _flags(column: ColumnSchema, array: AnyArray) -> list[str]:
    """Returns the names of the set bits, separated by spaces."""
    found, which = np.unique(array, return_inverse=True)
    names = [" ".join(name for i, name in enumerate(column.values) if value >> i & 1) for value in found.tolist()]
    return [names[i] for i in which.tolist()]


def guarded(text: str) -> str:
    """Returns `text` so that no spreadsheet reads it as a formula. The names in a capture come from another process."""
    return GUARD + text if text.startswith(FORMULA) else text


def _table(source: Source, name: TableName) -> pd.DataFrame | None:
    """Returns a table. Computes item_parts even if an earlier version of Poolscope left its own in the capture."""
    if name == PARTS:
        return _parts(source)
    if name == REQUEST_PARTS:
        return _request_parts(source)
    return source.capture.table(name) if source.capture.has(name) else None


def _parts(source: Source) -> pd.DataFrame | None:
    try:
        attribution = source.attribution
    except InsufficientEvidence:
        return None  # The tables are useful on their own.
    return None if attribution.split is None else item_parts(attribution)


def _request_parts(source: Source) -> pd.DataFrame | None:
    """Returns the parts of requests, or None if the server reported no requests or no evidence shows when they
    waited."""
    if not source.capture.has("requests"):
        return None
    try:
        requests = source.requests
    except InsufficientEvidence:
        return None
    return None if requests is None else request_parts(requests, source.request_parts, source.capture.window[0])


def _columns(file: IO[str], tables: list[str]) -> None:
    writer = csv.writer(file)
    writer.writerow(["table", "column", "type", "unit", "meaning"])
    for table in tables:
        for column in load_schema().tables[table].columns:
            writer.writerow([table, column.name, column.type, column.unit or "", column.what])


def _card(capture: DecodedCapture) -> dict[str, Any]:
    """Returns the data needed to read times: the clock, and the covered window."""
    clock = capture.manifest["clock"]
    try:
        window = list(capture.window)
    except InsufficientEvidence:
        window = None
    return {
        "clock": {name: clock.get(name) for name in ("id", "start_ns", "start_utc")},
        "window_ns": window,
        "kernel_tier": capture.kernel_tier,
    }


@contextmanager
def _files(output: Path) -> Iterator[Open]:
    """Opens text files by name, inside a new folder or a new zip."""
    if output.suffix.lower() != ".zip":
        output.mkdir()
        yield lambda name: (output / name).open("w", encoding="utf-8", newline="")
        return
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:

        @contextmanager
        def opened(name: str) -> Iterator[IO[str]]:
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as raw:
                with io.TextIOWrapper(raw, "utf-8", newline="") as text:
                    yield text

        yield opened
