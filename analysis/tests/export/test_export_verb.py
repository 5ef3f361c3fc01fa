"""The verb `export`: defaults, existing files, mistakes, and --redact."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from export_captures import GOLDEN, odd_capture
from poolscope.__main__ import run
from poolscope.base.errors import PoolscopeError
from poolscope.capture import load_schema, open_capture
from poolscope.export import FORMATS, Source, export
from poolscope.export.redacted import RULES, RedactedCapture
from poolscope.product.parts import item_parts
from synthetic import MS, CaptureBuilder

HEALTHY = next(p for p in GOLDEN if p.stem == "healthy")
HERE = Path(__file__).parents[2]


def fails(capsys, arguments, code):
    assert run(["export", *map(str, arguments)]) == code
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and said.err.startswith("poolscope: ") and said.out == ""
    return said.err


@pytest.mark.parametrize("name", FORMATS)
def test_without_o_the_file_is_named_after_the_capture(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["export", str(HEALTHY), "--to", name]) == 0
    expected = "healthy" + (FORMATS[name].suffix or "-tables")
    assert [p.name for p in tmp_path.iterdir()] == [expected]
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{expected}: ")


@pytest.mark.parametrize("name", FORMATS)
def test_json_says_what_was_written(name, tmp_path, capsys):
    output = tmp_path / "out"
    assert run(["export", str(HEALTHY), "--to", name, "-o", str(output), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["format"], said["output"]) == (name, str(output)) and said["counts"] and output.exists()
    assert said["view"] == (FORMATS[name].views or (None,))[0]


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_capture_gives_the_same_bytes(name, tmp_path):
    contents = []
    for run_number in ("1", "2"):
        output = tmp_path / run_number / "out"
        output.parent.mkdir()
        export(Source(open_capture(HEALTHY)), FORMATS[name], output, (FORMATS[name].views or (None,))[0])
        files = sorted(output.rglob("*")) if output.is_dir() else [output]
        contents.append([(p.name, p.read_bytes()) for p in files if p.is_file()])
    assert contents[0] == contents[1]


def test_a_format_that_there_is_not(capsys):
    assert "'perfetto', 'speedscope', 'folded', 'perfview', 'csv'" in fails(capsys, [HEALTHY, "--to", "pdf"], 2)


def test_the_format_must_be_said(capsys):
    assert "--to" in fails(capsys, [HEALTHY, "-o", "x"], 2)


def test_a_view_that_the_format_has_not(capsys):
    assert "perfetto has no --view cpu" in fails(capsys, [HEALTHY, "--to", "perfetto", "--view", "cpu"], 2)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_capture(name, tmp_path, capsys):
    empty, output = tmp_path / "empty", tmp_path / "out"
    empty.mkdir()
    assert "no capture.json" in fails(capsys, [empty, "--to", name, "-o", output], 3)
    assert "no such file" in fails(capsys, [tmp_path / "nowhere", "--to", name, "-o", output], 3)
    assert list(tmp_path.iterdir()) == [empty] and list(empty.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_table_leaves_nothing_behind(name, tmp_path, capsys):
    odd_capture(tmp_path / "captured")
    (tmp_path / "captured" / "tables" / "work_items.npz").write_bytes(b"PK\x03\x04 not really")
    output = tmp_path / "outputs" / "out"
    output.parent.mkdir()
    assert "work_items" in fails(capsys, [tmp_path / "captured", "--to", name, "-o", output], 3)
    assert list(output.parent.iterdir()) == []


def test_without_a_runtime_stream_there_is_no_trace(tmp_path, capsys):
    builder = CaptureBuilder(tmp_path / "captured", length=1000 * MS)
    builder.rows["streams"] = [s for s in builder.rows["streams"] if s["tier"] != "eventpipe"]
    builder.write()
    assert "no runtime.nettrace" in fails(capsys, [tmp_path / "captured", "--to", "perfetto", "-o", tmp_path / "x"], 4)


def test_a_file_is_replaced_and_stays_as_it_was_where_that_fails(tmp_path, capsys):
    output = tmp_path / "out.pftrace"
    output.write_text("before")
    odd_capture(tmp_path / "captured")
    broken = tmp_path / "captured" / "tables" / "pool_changes.npz"
    whole = broken.read_bytes()
    broken.write_bytes(b"")
    fails(capsys, [tmp_path / "captured", "--to", "perfetto", "-o", output], 3)
    assert output.read_text() == "before"
    broken.write_bytes(whole)
    assert run(["export", str(tmp_path / "captured"), "--to", "perfetto", "-o", str(output)]) == 0
    assert output.read_bytes()[:1] == b"\x0a"


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work_items.csv").write_text("mine")
    assert "not empty" in fails(capsys, [HEALTHY, "--to", "csv", "-o", tmp_path / "mine"], 2)
    assert (tmp_path / "mine" / "work_items.csv").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert run(["export", str(HEALTHY), "--to", "csv", "-o", str(tmp_path / "empty")]) == 0
    assert (tmp_path / "empty" / "work_items.csv").exists()


def test_the_folder_that_one_is_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["export", str(HEALTHY), "--to", "csv", "-o", "."]) == 0
    assert (tmp_path / "work_items.csv").exists()


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].suffix])
def test_a_folder_where_a_file_should_be(name, tmp_path, capsys):
    assert "it is a folder" in fails(capsys, [HEALTHY, "--to", name, "-o", tmp_path], 2)


@pytest.mark.parametrize("name", FORMATS)
def test_an_output_that_cannot_be_written(name, tmp_path, capsys):
    assert "cannot write" in fails(capsys, [HEALTHY, "--to", name, "-o", tmp_path / "no" / "such" / "x"], 2)


def test_a_format_whose_writer_fails_leaves_nothing(tmp_path, monkeypatch):
    def broken(source, output, view):
        output.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(FORMATS["perfetto"]), "writer", lambda self: broken)
    with pytest.raises(PoolscopeError, match="No space left"):
        export(Source(open_capture(HEALTHY)), FORMATS["perfetto"], tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_libraries_of_a_format_are_loaded_for_it_alone():
    """Otherwise every verb would wait for them."""
    code = "import sys, poolscope.cli.command; sys.exit('google.protobuf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=HERE).returncode == 0


# --redact


MARK = "qzx"


@pytest.fixture
def secret(tmp_path):
    """Builds a capture whose names are all secrets."""
    builder = CaptureBuilder(tmp_path / "qzx-shop", length=2000 * MS)
    builder.item(0, 10 * MS, 900 * MS, 200, [("running", 100 * MS), ("blocked", 790 * MS)])
    builder.item(5 * MS, 900 * MS, 950 * MS, 200, [("running", 50 * MS)])
    builder.manifest["target"] |= {"name": "qzx.Shop", "command": ["/home/qzx/app", "--password=qzx"]}
    builder.manifest["host"]["name"] = "qzxhost"
    builder.thread(200, 100, "qzx worker").thread(100, 100, "qzx.Shop").thread(7, 7, "qzxd")
    builder.rows["frames"] = [
        {"method": "System.Threading.Monitor.Enter", "module": "System.Private.CoreLib.dll", "resolved": 1},
        {"method": "Qzx.qzx.Orders.Place", "module": "qzx.dll", "file": "/src/qzx/Orders.cs", "line": 7, "resolved": 1},
        {"method": "qzx_alloc", "module": "libqzx.so", "resolved": 2},
        {"method": "malloc", "module": "libc.so.6", "resolved": 2},
    ]
    builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": (1, 0, 2, 3)[i]} for i in range(4)]
    builder.contention(200, 109 * MS, 900 * MS, lock=5)
    builder.rows["waits"][0]["stack"] = 1
    builder.rows["snapshots"] = [{"time": 300 * MS, "tid": 200, "stack": 3}]
    builder.rows["cpu_samples"] = [{"time": 50 * MS, "cpu": 0, "pid": 100, "tid": 200, "stack": 3}]
    builder.rows["losses"] = [{"stream": "../qzx/tp.etl", "count": 1, "what": 4}]
    builder.write()
    return tmp_path / "qzx-shop"


def everything_in(path, folder):
    """Returns the text of a file, of all files in a folder, or of all files in a zip."""
    if path.is_file() and path.read_bytes()[:2] == b"PK":
        shutil.unpack_archive(path, folder, "zip")
        path = folder
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return "".join(p.name + p.read_bytes().decode("utf-8", "replace") for p in files).lower()


@pytest.mark.parametrize("name", FORMATS)
def test_redacted_exports_hold_no_name(name, secret, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    assert run(["export", str(secret), "--to", name, "--redact"]) == 0
    (written,) = out.iterdir()
    assert written.name.startswith("redacted-20260102T030405")
    assert MARK not in everything_in(written, tmp_path / "redacted") + capsys.readouterr().out.lower()
    # Without --redact the names are there, so the test can fail.
    assert run(["export", str(secret), "--to", name, "-o", "open"]) == 0
    assert MARK in everything_in(Path("open"), tmp_path / "open")


def test_redaction_changes_no_number(secret):
    capture = open_capture(secret)
    redacted = RedactedCapture(capture)
    assert item_parts(Source(redacted).attribution).equals(item_parts(Source(capture).attribution))
    for schema in load_schema().tables.values():
        name = schema.name
        if name != "item_parts" and capture.has(name):
            for column in schema.columns:
                if column.type != "string":
                    assert redacted.table(name)[column.name].equals(capture.table(name)[column.name])
    methods = redacted.table("frames")["method"].tolist()
    assert methods == ["System.Threading.Monitor.Enter", "method-1", "method-2", "malloc"]


def test_every_string_column_has_a_rule():
    tables = load_schema().tables.items()
    assert set(RULES) == {(name, c.name) for name, table in tables for c in table.columns if c.type == "string"}
