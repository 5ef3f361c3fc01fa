"""A CSV export, read with the standard library alone, equals the tables."""

import csv
import json
import zipfile

import numpy as np
import pytest
from export_captures import GOLDEN, odd_capture
from poolscope.capture import load_schema, open_capture
from poolscope.export import FORMATS, Source, export
from poolscope.export.tables_csv import FORMULA, guarded
from poolscope.measures.requests.parts import CAUSES, PARTS
from poolscope.product.parts import item_parts
from served_requests import served
from synthetic import MS, CaptureBuilder

CSV = FORMATS["csv"]


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def unguarded(text):
    return text[1:] if text.startswith("'") else text


def as_stored(column, text):
    """Returns the table's value for a value in the file."""
    if column.type == "string":
        return unguarded(text) if text else None
    if column.type == "enum":
        return column.values.index(text)
    if column.type == "flags":
        return sum(1 << column.values.index(name) for name in text.split())
    if column.type == "float64":
        return float(text) if text else None
    return int(text) if text else -1


def stored(column, value):
    if column.type == "string":
        return value if isinstance(value, str) and value else None
    if column.type == "float64":
        return None if np.isnan(value) else value
    return value


@pytest.fixture(scope="module", params=[p.stem for p in GOLDEN] + ["odd"])
def exported(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    path = next((p for p in GOLDEN if p.stem == request.param), None)
    capture = odd_capture(folder / "captured") if path is None else open_capture(path)
    return capture, folder / "out", export(Source(capture), CSV, folder / "out").counts


def test_every_value_of_every_table_is_exact(exported):
    capture, folder, counts = exported
    for name, schema in load_schema().tables.items():
        if name in ("item_parts", "request_parts"):
            continue
        assert (folder / f"{name}.csv").exists() == capture.has(name) == (name in counts)
        if not capture.has(name):
            continue
        frame, rows = capture.table(name), read(folder / f"{name}.csv")
        assert counts[name] == len(rows) == len(frame)
        header = (folder / f"{name}.csv").read_bytes().split(b"\r\n")[0].decode()
        assert header == ",".join(c.name for c in schema.columns)
        for column in schema.columns:
            expected = [stored(column, value) for value in frame[column.name].tolist()]
            assert [as_stored(column, row[column.name]) for row in rows] == expected, (name, column.name)


def test_sums_are_the_tables(exported):
    capture, folder, _ = exported
    for name in ("thread_states", "work_items"):
        for column in load_schema().tables[name].columns:
            if column.type != "int64":
                continue
            values = capture.table(name)[column.name].to_numpy()
            written = [row[column.name] for row in read(folder / f"{name}.csv")]
            assert sum(int(text) for text in written if text) == int(values[values != -1].sum())


def test_the_attribution_comes_along_and_adds_up(exported):
    capture, folder, counts = exported
    rows = [{k: int(v) for k, v in row.items()} for row in read(folder / "item_parts.csv")]
    attribution = Source(capture).attribution
    assert len(rows) == counts["item_parts"] == attribution.items.count
    for row in rows:
        assert row["wait"] == sum(row[p] for p in ("injection", "holding", "dependency", "core", "runtime"))
    expected = item_parts(attribution)
    assert {name: sum(row[name] for row in rows) for name in expected.columns} == expected.sum().to_dict()


def test_requests_come_along_with_their_parts(tmp_path):
    capture = open_capture(served(tmp_path / "web", [40, 90, 60], unanswered=1, untied=0))
    assert export(Source(capture), CSV, tmp_path / "out").counts["request_parts"] == 3
    rows = read(tmp_path / "out" / "request_parts.csv")
    assert [row["bound"] for row in rows] == ["exact", "exact", "at_least"]
    assert [row["cpu"] == "" for row in rows] == [False, False, True]
    for row in rows[:2]:
        assert int(row["latency"]) == int(row["answered"]) - int(row["arrived"])
        assert int(row["latency"]) == sum(int(row[name]) for name in PARTS)
        assert int(row["unread"]) + int(row["queued"]) == sum(int(row[f"wait_{name}"]) for name in CAUSES)
    assert [row["id"] for row in read(tmp_path / "out" / "requests.csv")] == [row["id"] for row in rows]


def test_a_file_says_what_each_column_is(exported):
    _, folder, counts = exported
    said = {(r["table"], r["column"]): (r["type"], r["unit"]) for r in read(folder / "columns.csv")}
    tables = load_schema().tables
    assert said == {(t, c.name): (c.type, c.unit or "") for t in counts for c in tables[t].columns}
    assert json.loads((folder / "capture.json").read_text())["clock"]["id"] == "CLOCK_MONOTONIC"


def test_a_zip_holds_the_same_files(exported, tmp_path):
    capture, folder, _ = exported
    export(Source(capture), CSV, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert inside == {path.name: path.read_bytes() for path in folder.iterdir()}
    export(Source(capture), CSV, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "out.zip").read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        '=cmd|"/c calc"!A1',
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "'=1",
        "＝1",
        'a,"b"',
        "two\r\nlines",
        " x ",
        "",
    ],
)
def test_names_are_escaped_and_no_spreadsheet_takes_one_for_a_formula(name, tmp_path):
    builder = CaptureBuilder(tmp_path / "captured", length=1000 * MS)
    builder.item(0, 1 * MS, 2 * MS, 200, [("running", 1 * MS)])
    builder.thread(200, 100, name).thread(201, 100, "after")
    export(Source(builder.write()), CSV, tmp_path / "out")
    cells = [row["name"] for row in read(tmp_path / "out" / "threads.csv")]
    assert not cells[0].startswith(FORMULA[:-1])
    assert [unguarded(cell) for cell in cells] == [name, "after"]


def test_a_guard_can_always_be_taken_away_again():
    for name in ("=a", "'a", "''=a", "a", "", "a'"):
        assert unguarded(guarded(name)) == name


def test_without_a_runtime_stream_the_tables_are_still_written(tmp_path):
    builder = CaptureBuilder(tmp_path / "captured", length=1000 * MS)
    builder.rows["streams"] = [s for s in builder.rows["streams"] if s["tier"] != "eventpipe"]
    written = export(Source(builder.write()), CSV, tmp_path / "out")
    assert "item_parts" not in written.counts and "switches" in written.counts
    assert any("item_parts" in note for note in written.notes)
