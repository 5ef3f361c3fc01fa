"""Tables decoded by an earlier version, without a column that exists now."""

import dataclasses
import io

import pytest
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema
from poolscope.capture.npz import read_table, write_table

import numpy as np
import pandas as pd

SOCKETS = load_schema().tables["sockets"]


def raw_without(folder, column):
    """Returns a table `sockets` of three rows without `column`."""
    rows = {c.name: ["a", "b", "c"] if c.type == "string" else np.zeros(3, dtype=np.int64) for c in SOCKETS.columns}
    schema = dataclasses.replace(SOCKETS, columns=tuple(c for c in SOCKETS.columns if c.name != column))
    write_table(folder / "sockets.npz", schema, pd.DataFrame(rows))
    return io.BytesIO((folder / "sockets.npz").read_bytes())


def test_a_column_with_a_value_of_old_has_it_in_every_row(tmp_path):
    assert read_table(raw_without(tmp_path, "unread_at"), SOCKETS)["unread_at"].tolist() == [-1, -1, -1]


def test_any_other_column_has_to_be_there(tmp_path):
    with pytest.raises(UnreadableCapture, match="column closed cannot be read.*run: poolscope decode"):
        read_table(raw_without(tmp_path, "closed"), SOCKETS)
