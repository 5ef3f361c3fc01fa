"""Each mistake gives one clear line on stderr and its documented exit code, and leaves no partial output."""

import json
import shutil
import zipfile

import pytest
from poolscope.__main__ import run
from synthetic import MS, CaptureBuilder

VERBS = ["report", "attribute", "verify"]


@pytest.fixture
def capture(tmp_path):
    folder = tmp_path / "captured"
    builder = CaptureBuilder(folder, length=5000 * MS)
    builder.item(0, 3000 * MS, 4000 * MS, 200, [("running", 1000 * MS)])
    builder.write()
    return folder


def fails(capsys, arguments, code):
    assert run([str(a) for a in arguments]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and error.startswith("poolscope: "), error
    assert "Traceback" not in error
    return error


@pytest.mark.parametrize("verb", VERBS)
def test_no_such_path(verb, tmp_path, capsys):
    assert "no such file or folder" in fails(capsys, [verb, tmp_path / "nowhere"], 3)


@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_that_is_no_capture(verb, tmp_path, capsys):
    assert "no capture.json" in fails(capsys, [verb, tmp_path], 3)


def test_a_file_that_is_no_zip(tmp_path, capsys):
    (tmp_path / "x.zip").write_text("hello")
    assert "neither a capture folder nor a zip" in fails(capsys, ["report", tmp_path / "x.zip"], 3)


def test_a_damaged_manifest(capture, capsys):
    (capture / "capture.json").write_text("{")
    assert "damaged" in fails(capsys, ["report", capture], 3)


def test_another_format(capture, capsys):
    manifest = json.loads((capture / "capture.json").read_text())
    (capture / "capture.json").write_text(json.dumps({**manifest, "format": 99}))
    assert "format 99" in fails(capsys, ["report", capture], 3)


@pytest.mark.parametrize("verb", VERBS)
def test_not_decoded_names_the_command_to_run(verb, capture, capsys):
    shutil.rmtree(capture / "tables")
    assert "poolscope decode" in fails(capsys, [verb, capture], 3)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"\x00" * 100])
def test_a_damaged_table(content, capture, capsys, tmp_path):
    (capture / "tables" / "work_items.npz").write_bytes(content)
    page = tmp_path / "page.html"
    assert "work_items" in fails(capsys, ["report", capture, "-o", page], 3)
    assert not page.exists()


def test_a_table_of_another_shape(capture, capsys):
    shutil.copy(capture / "tables" / "workers.npz", capture / "tables" / "work_items.npz")
    assert "work_items" in fails(capsys, ["attribute", capture], 3)


@pytest.mark.parametrize("verb", ["report", "attribute"])
def test_a_capture_without_a_runtime_stream_is_insufficient(verb, tmp_path, capsys):
    builder = CaptureBuilder(tmp_path, length=5000 * MS)
    builder.rows["streams"] = [s for s in builder.rows["streams"] if s["tier"] != "eventpipe"]
    builder.write()
    assert "no runtime.nettrace" in fails(capsys, [verb, tmp_path], 4)


def test_verify_without_truth(capture, capsys):
    assert "no truth.npz" in fails(capsys, ["verify", capture], 4)


def test_a_page_that_cannot_be_written(capture, capsys, tmp_path):
    assert "cannot write" in fails(capsys, ["report", capture, "-o", tmp_path / "no" / "such" / "page.html"], 2)


@pytest.mark.parametrize("arguments", [["no-such-verb"], ["report"], ["report", "--no-such-option", "x"]])
def test_usage(arguments, capsys):
    fails(capsys, arguments, 2)


def test_no_work_is_an_answer(tmp_path, capsys):
    CaptureBuilder(tmp_path / "idle", length=1000 * MS).write()
    assert run(["report", str(tmp_path / "idle"), "-o", str(tmp_path / "page.html")]) == 0
    assert "no-work" in capsys.readouterr().out
    assert (tmp_path / "page.html").exists()


def test_a_zip_gives_the_same_analysis_as_its_folder(capture, tmp_path, capsys):
    archive = tmp_path / "captured.zip"
    with zipfile.ZipFile(archive, "w") as z:
        for file in capture.rglob("*"):
            z.write(file, f"captured/{file.relative_to(capture)}")
    run(["attribute", str(capture), "--json"])
    from_folder = capsys.readouterr().out
    run(["attribute", str(archive), "--json"])
    from_zip = capsys.readouterr().out
    assert json.loads(from_folder)["attribution"] == json.loads(from_zip)["attribution"]


def test_the_analysis_repeats_byte_for_byte(capture, tmp_path, capsys):
    run(["attribute", str(capture), "--json", "-o", str(tmp_path / "analysis.json")])
    first = capsys.readouterr().out
    run(["attribute", str(capture), "--json"])
    assert capsys.readouterr().out == first == (tmp_path / "analysis.json").read_text()
