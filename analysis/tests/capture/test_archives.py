"""A zip inflates to no more than its stated size, and holds one capture."""

import io
import zipfile
from pathlib import Path

import numpy as np
import poolscope
import pytest
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema, npz, open_capture
from poolscope.capture.npz import read_array, read_table, write_arrays
from poolscope.capture.storage import ALWAYS_ALLOWED

MARK = 0x0102_0304_0506
"""A value whose bytes occur nowhere else in a test's file."""
GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden" / "core-contention.zip"


def golden_with(folder, extra, compression=zipfile.ZIP_DEFLATED):
    """Writes the golden capture with further files; an extra file replaces one of the same name."""
    path = folder / "x.zip"
    with zipfile.ZipFile(GOLDEN) as old, zipfile.ZipFile(path, "w", compression) as new:
        for name in old.namelist():
            if name not in extra:
                new.writestr(name, old.read(name))
        for name, content in extra.items():
            new.writestr(name, content)
    return path


def test_a_zip_that_inflates_beyond_the_limit_is_refused_before_it_is_read(tmp_path):
    bomb = golden_with(tmp_path, {"tables/waits.npz": bytes(ALWAYS_ALLOWED + 200 * GOLDEN.stat().st_size)})
    assert bomb.stat().st_size < 2 * GOLDEN.stat().st_size
    with pytest.raises(UnreadableCapture, match="would inflate"):
        open_capture(bomb)


def test_a_large_file_that_is_never_read_does_not_count(tmp_path):
    path = golden_with(tmp_path, {"sched.perf.data": bytes(ALWAYS_ALLOWED + 100 * GOLDEN.stat().st_size)})
    assert open_capture(path).kernel_tier == "tracepoint"


def test_a_table_that_is_compressed_is_refused(tmp_path):
    inner = io.BytesIO()
    np.savez_compressed(inner, id=np.zeros(10**6, dtype=np.int64))
    with pytest.raises(UnreadableCapture, match="compressed"):
        open_capture(golden_with(tmp_path, {"tables/work_items.npz": inner.getvalue()})).table("work_items")


@pytest.mark.parametrize("second", ["other/capture.json", "tables/capture.json"])
def test_two_captures_in_one_zip_are_refused(second, tmp_path):
    with pytest.raises(UnreadableCapture, match="2 captures in one zip"):
        open_capture(golden_with(tmp_path, {second: "{}"}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(tmp_path):
    path = golden_with(tmp_path, {})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tables/work_items.npz", b"other")
    with pytest.raises(UnreadableCapture, match="the same name"):
        open_capture(path)


def array(header, content=b""):
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "no array"),
        (b"\x93NUMPY\x02\x00\x00\x00", "no array"),
        (array(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", b"\x80"), "not that of a column"),
        (array(b"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }\n", bytes(48)), "not that of a column"),
        (array(b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,), }\n"), "not that of a column"),
        (
            array(b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999,), }\n", bytes(8)),
            "99,999,999,999 values",
        ),
        (array(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", bytes(8)), "it holds <f8"),
        (array(b"(" * 9000 + b"\n"), "not that of a column"),
    ],
)
def test_an_array_that_no_table_has_is_refused_before_anything_is_allocated(raw, says):
    with pytest.raises(ValueError, match=says):
        read_array(io.BytesIO(raw), len(raw), np.dtype("<i8"))


@pytest.mark.parametrize("rows", [3, 300_000], ids=["within the first read", "of several reads"])
def test_a_byte_that_changed_in_a_column_is_found(tmp_path, rows):
    schema = load_schema().tables["parked"]
    path = tmp_path / "parked.npz"
    write_arrays(path, {c.name: (MARK + np.arange(rows)).astype(c.dtype) for c in schema.columns})
    with open(path, "rb") as file:
        assert len(read_table(file, schema)) == rows
    raw = bytearray(path.read_bytes())
    last = np.array([MARK + rows - 1], dtype=schema.columns[-1].dtype).tobytes()
    raw[raw.rindex(last)] ^= 4
    with pytest.raises(UnreadableCapture, match="Bad CRC"):
        read_table(io.BytesIO(raw), schema)


def test_a_table_that_does_not_fit_into_memory_is_named(monkeypatch):
    def no_room(*_):
        raise MemoryError

    monkeypatch.setattr(npz, "read_array", no_room)
    with pytest.raises(UnreadableCapture, match="table .* is larger than the memory of this machine"):
        open_capture(GOLDEN).table("work_items")


def test_names_that_are_no_utf8_and_read_alike_are_one_name(tmp_path):
    """Thread names may contain any bytes."""
    capture = open_capture(GOLDEN)
    schema = load_schema().tables["losses"]
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        content = {c.name: np.zeros(2, dtype=c.dtype) for c in schema.columns}
        content["stream"] = np.array([0, 1], dtype=np.int32)
        content["stream.utf8"] = np.frombuffer(b"\xff\xfe", dtype=np.uint8)
        content["stream.offsets"] = np.array([0, 1, 2], dtype=np.int64)
        for name, values in content.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, values)
            archive.writestr(f"{name}.npy", entry.getvalue())
    assert read_table(raw, schema)["stream"].tolist() == ["\ufffd", "\ufffd"]
    assert capture.has("losses")


def test_what_is_wrong_is_one_line_without_control_characters(tmp_path):
    path = golden_with(tmp_path, {"tables/\x1b[2J\n.npz": b""})
    with zipfile.ZipFile(path, "a") as archive:
        entry = zipfile.ZipInfo("tables/\x1b[2J\nlink")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "x")
    with pytest.raises(poolscope.UnreadableCapture) as caught:
        poolscope.open(path)
    assert str(caught.value).isprintable()
