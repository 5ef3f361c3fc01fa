"""No planted link is followed, and other users can read no file that is written."""

import os
import stat
import zipfile
from pathlib import Path

import poolscope
import pytest
from poolscope.__main__ import run
from poolscope.base.files import write_text

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden" / "core-contention.zip"


@pytest.fixture
def capture(tmp_path):
    folder = tmp_path / "ticket"
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(folder)
    return folder


def refused(capture, says):
    with pytest.raises(poolscope.UnreadableCapture) as caught:
        poolscope.open(capture).verdict()
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["capture.json", "tables/work_items.npz", "analysis.json.tmp", "tables/item_parts.tmp", "snapshots"]
)
def test_a_link_in_a_capture_is_refused_and_its_target_stays(name, capture, tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    (capture / name).unlink(missing_ok=True)
    (capture / name).symlink_to(target)
    refused(capture, "a link")
    assert target.read_text() == "mine"


def test_a_link_to_a_folder_is_refused(capture, tmp_path):
    (capture / "tables").rename(tmp_path / "elsewhere")
    (capture / "tables").symlink_to(tmp_path / "elsewhere")
    refused(capture, "a link")


def test_a_pipe_in_a_capture_does_not_block(capture):
    os.mkfifo(capture / "runtime.pipe")
    refused(capture, "no regular file")
    (capture / "capture.json").unlink()
    os.mkfifo(capture / "capture.json")
    refused(capture, "no regular file")


def test_a_pipe_or_device_as_capture_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "name a regular file")
    refused("/dev/zero", "name a regular file")


def test_a_link_to_the_capture_itself_is_the_users_own(capture, tmp_path):
    (tmp_path / "latest").symlink_to(capture)
    assert poolscope.open(tmp_path / "latest").kernel_tier == "tracepoint"


def test_a_link_inside_a_zip_is_refused(tmp_path):
    archive = tmp_path / "x.zip"
    archive.write_bytes(GOLDEN.read_bytes())
    with zipfile.ZipFile(archive, "a") as more:
        entry = zipfile.ZipInfo("tables/more.npz")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        more.writestr(entry, "/etc/passwd")
    refused(archive, "a link")


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_an_output_that_is_no_regular_file_is_not_written(kind, tmp_path, capsys):
    target, output = tmp_path / "precious", tmp_path / "page.html"
    if kind == "pipe":
        os.mkfifo(output)
    else:
        output.symlink_to(target)
    if kind == "link":
        target.write_text("mine")
    assert run(["report", str(GOLDEN), "-o", str(output)]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert output.is_fifo() if kind == "pipe" else output.is_symlink()
    assert (target.read_text() if target.exists() else None) == ("mine" if kind == "link" else None)


def test_a_planted_temporary_name_is_not_followed(tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    for name in ("page.html.tmp", ".writing-page.html"):
        (tmp_path / name).symlink_to(target)
    write_text(tmp_path / "page.html", "new")
    assert (target.read_text(), (tmp_path / "page.html").read_text()) == ("mine", "new")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_results_are_private_whatever_the_umask(umask, tmp_path):
    before = os.umask(umask)
    try:
        assert run(["attribute", str(GOLDEN), "-o", str(tmp_path / "a.json")]) == 0
        assert run(["export", str(GOLDEN), "--to", "csv", "-o", str(tmp_path / "tables")]) == 0
    finally:
        os.umask(before)
    written = [tmp_path / "a.json", tmp_path / "tables", *(tmp_path / "tables").iterdir()]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in written}
    assert modes == {path.name: 0o700 if path.is_dir() else 0o600 for path in written}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "tables"]


def test_what_fails_leaves_nothing(tmp_path):
    with pytest.raises(poolscope.InvalidArgument):
        write_text(tmp_path, "a folder is there")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []
