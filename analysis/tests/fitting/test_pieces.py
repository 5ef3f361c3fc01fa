"""A table read in pieces equals the table read whole, and a damaged one is refused."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capture.test_packing import packed
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema, open_capture, pieces
from poolscope.capture.npz import BLOCK_ROWS, read_table, write_arrays
from poolscope.capture.pieces import TableFile

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.zip")))
def test_every_table_of_real_captures(name):
    capture = open_capture(GOLDEN / name)
    for table, schema in load_schema().tables.items():
        with capture.opened(table) as file:
            if file is None:
                continue
            source = TableFile(file, schema)
            expected = read_table(file, schema)
            assert source.rows == len(expected)
            found = [piece.rows(np.ones(piece.count, dtype=bool)) for piece in source.pieces()]
            pd.testing.assert_frame_equal(pd.concat(found or [source.empty()]), expected, check_index_type=False)


@pytest.fixture
def parked(tmp_path):
    """Builds a table of two and a half blocks: tid packed in 8 bits, start in 32, end stored unpacked."""
    rows = 2 * BLOCK_ROWS + 5
    lengths = [BLOCK_ROWS, BLOCK_ROWS, 5]
    values = {"tid": np.arange(rows) % 200, "start": 10**12 + np.arange(rows), "end": 10**12 + 1 + np.arange(rows)}
    arrays = {"end": values["end"].astype("<i8")}
    for name, bits in (("tid", 8), ("start", 32)):
        blocks = np.split(values[name], np.cumsum(lengths)[:-1])
        raw = b"".join(packed((block - block.min()).tolist(), 0, bits) for block in blocks)
        arrays |= {
            f"{name}.rows": np.array([rows], "<i8"),
            f"{name}.base": np.array([block.min() for block in blocks], "<i8"),
            f"{name}.bits": np.array([bits] * 3, "u1"),
            f"{name}.packed": np.frombuffer(raw, "u1"),
        }
    path = tmp_path / "parked.npz"
    write_arrays(path, arrays)
    return path, values


def test_packed_columns_are_read_block_by_block(parked, monkeypatch):
    path, values = parked
    monkeypatch.setattr(pieces, "PIECE_ROWS", BLOCK_ROWS)
    with path.open("rb") as file:
        found = list(TableFile(file, load_schema().tables["parked"]).pieces())
        assert [piece.count for piece in found] == [BLOCK_ROWS, BLOCK_ROWS, 5]
        for name, expected in values.items():
            assert np.concatenate([piece.column(name) for piece in found]).tolist() == expected.tolist()


def test_only_the_chosen_rows_are_given_with_their_numbers(parked):
    path, values = parked
    with path.open("rb") as file:
        (piece,) = TableFile(file, load_schema().tables["parked"]).pieces()
        rows = piece.rows(piece.column("tid") == 7)
    assert rows.index.tolist() == np.flatnonzero(values["tid"] == 7).tolist()
    assert rows["start"].tolist() == values["start"][rows.index].tolist()


def rewritten(path, change):
    """Returns the archive with its entries changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return raw


def without_a_column(entries):
    del entries["end.npy"]


def shorter_column(entries):
    entries["end.npy"] = entries["end.npy"][:-8]


def another_type(entries):
    entries["end.npy"] = entries["end.npy"].replace(b"<i8", b"<f8")


def fewer_blocks(entries):
    entries["tid.bits.npy"] = entries["tid.bits.npy"].replace(b"(3,)", b"(2,)")[:-1]


def packed_and_plain(entries):
    entries["tid.npy"] = entries["end.npy"]


@pytest.mark.parametrize(
    "change", [without_a_column, shorter_column, another_type, fewer_blocks, packed_and_plain], ids=lambda c: c.__name__
)
def test_damage_is_refused(parked, change):
    with pytest.raises(UnreadableCapture, match="table parked"):
        TableFile(rewritten(parked[0], change), load_schema().tables["parked"])


def test_a_file_that_ends_in_the_middle_is_refused(parked):
    raw = parked[0].read_bytes()
    with pytest.raises(UnreadableCapture, match="table parked"):
        TableFile(io.BytesIO(raw[: len(raw) // 2]), load_schema().tables["parked"])
