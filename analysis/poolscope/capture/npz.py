"""Tables as NumPy archives: reading columns on demand, and writing what the analysis adds."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from poolscope.arrays import AnyArray
from poolscope.capture.schema import TableSchema
from poolscope.errors import UnreadableCapture


def read_table(source: str | Path | IO[bytes], schema: TableSchema) -> pd.DataFrame:
    """One table as a DataFrame with the schema's columns in the schema's order.

    Strings come as pandas categoricals (absent: NaN), everything else as the stored numbers.
    Raises UnreadableCapture when the file is no archive or does not fit the schema.
    """
    try:
        with np.load(source, allow_pickle=False) as archive:
            columns = {c.name: _column(archive, c.name, c.type, c.dtype) for c in schema.columns}
            return pd.DataFrame(columns, copy=False)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UnreadableCapture(
            f"table {schema.name} cannot be read ({error}); run: poolscope-collect decode CAPTURE"
        ) from error


def write_table(path: Path, schema: TableSchema, frame: pd.DataFrame) -> None:
    """Writes a table, replacing an older one atomically. String columns may be anything that pandas can factorise."""
    arrays: dict[str, AnyArray] = {}
    for column in schema.columns:
        if column.type == "string":
            codes, words = pd.factorize(frame[column.name])
            encoded = [str(w).encode() for w in words]
            arrays[column.name] = codes.astype(column.dtype)
            arrays[f"{column.name}.utf8"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
            arrays[f"{column.name}.offsets"] = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        else:
            arrays[column.name] = frame[column.name].to_numpy(dtype=column.dtype)
    temporary = path.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w") as archive:  # np.savez cannot write an array that is named "file"
        for name, values in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, values, allow_pickle=False)  # type: ignore[no-untyped-call]
    os.replace(temporary, path)


def _column(archive: Any, name: str, kind: str, dtype: np.dtype[Any]) -> AnyArray | pd.Categorical:
    values = archive[name]
    if values.dtype != dtype or values.ndim != 1:
        raise ValueError(f"column {name} is {values.dtype}, not {dtype}")
    if kind != "string":
        return np.asarray(values)
    raw = archive[f"{name}.utf8"].tobytes()
    offsets = archive[f"{name}.offsets"]
    words = [raw[a:b].decode("utf-8", "replace") for a, b in zip(offsets[:-1], offsets[1:])]
    return pd.Categorical.from_codes(values, categories=pd.Index(words, dtype=object))
