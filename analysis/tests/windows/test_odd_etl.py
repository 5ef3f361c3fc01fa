"""Windows traces as they reach a support engineer: renamed, zipped with another file, truncated. Each gives a page or
one line."""

import zipfile
from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.capture import open_capture
from poolscope.product import analyse
from windows.test_etl_verdict import APP, COLLECT, ROUNDS, contended

WHOLE = contended(APP).content()
UNREADABLE = 3


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POOLSCOPE_COLLECT", str(COLLECT))


def zipped(name, **files):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, content in files.items():
            archive.writestr(inside, content)


def explained(name):
    """Returns the analysis of a trace for which `report` made a page."""
    assert run(["report", name]) == 0
    return analyse(open_capture(Path("shop.poolscope"))).to_json()


@pytest.mark.parametrize(
    "trace",
    [contended(APP, pointer=4).content(), contended(APP, mode=2).content(rotate=5)],
    ids=["of 32 bits", "circular"],
)
def test_an_odd_recording_gives_the_same_verdict(trace):
    Path("shop.etl").write_bytes(trace)
    content = explained("shop.etl")
    assert content["verdict"]["id"] == "core-contention"
    assert content["items"]["count"] == content["coverage"]["joined"] > 2 * ROUNDS - 10


@pytest.mark.parametrize("part", [0.5, 0.7, 0.9])
def test_the_end_of_a_torn_file_makes_no_wait_longer(part):
    """The last buffer of one processor lies before the tear, that of the other after it."""
    Path("shop.etl").write_bytes(WHOLE[: int(part * len(WHOLE))])
    content = explained("shop.etl")
    assert content["verdict"]["id"] == "core-contention"
    assert abs(content["items"]["count"] - part * 2 * ROUNDS) < 15
    assert content["coverage"]["cut"] and content["coverage"]["queued_at_end"] <= 2
    assert "80 ms per item" in content["verdict"]["text"]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("shop.etl.zip", {"logs/shop.etl": WHOLE, "PerfViewLogFile.txt": "started", "symbols/app.pdb": bytes(100)}),
        ("shop.zip", {"shop.etl": WHOLE, "__MACOSX/._shop.etl": bytes(100)}),
        ("SHOP.ETL.ZIP", {"shop.etl": WHOLE}),
        ("shop.etl", {"shop.etl": WHOLE}),
    ],
    ids=["log and symbols", "macOS", "capitals", "named as no zip"],
)
def test_a_zip_may_hold_other_files_and_have_another_name(name, files, capsys):
    zipped(name, **files)
    assert run(["report", name]) == 0
    assert "verdict: core-contention" in capsys.readouterr().out


def test_a_trace_may_be_named_as_a_zip(capsys):
    Path("shop.etl.zip").write_bytes(WHOLE)
    assert run(["report", "shop.etl.zip"]) == 0
    assert "verdict: core-contention" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("shop.etl", b"", "an empty file"),
        ("shop.etl", bytes(70000), "shop.etl is not an .etl file: it does not begin with a trace header"),
        ("shop.etl", WHOLE[:100], "shop.etl is not an .etl file"),
        ("shop.etl.zip", b"PK" + WHOLE, "shop.etl.zip cannot be read: it is not a zip file, or it is damaged"),
        ("shop.trace", WHOLE, "a trace of Windows by its content; rename it, then run: poolscope report shop.etl"),
    ],
    ids=["empty", "zeros", "short", "no zip", "named otherwise"],
)
def test_what_cannot_be_read_is_one_line(name, content, said, capfd):
    Path(name).write_bytes(content)
    assert run(["report", name]) == UNREADABLE
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and said in lines[0], lines


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"readme.txt": "no trace"}, "shop.etl.zip cannot be read: it holds no .etl"),
        ({"shop.etl": WHOLE, "other.etl": WHOLE}, "holds several recordings: unpack it, and name one of them"),
        ({"shop.etl": WHOLE, "shop.kernel.etl": b"no trace"}, "shop.etl.zip: shop.kernel.etl is not an .etl file"),
    ],
    ids=["none", "two", "a part that is none"],
)
def test_a_zip_that_cannot_be_read_is_one_line(files, said, capfd):
    zipped("shop.etl.zip", **files)
    assert run(["report", "shop.etl.zip"]) == UNREADABLE
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and said in lines[0], lines
