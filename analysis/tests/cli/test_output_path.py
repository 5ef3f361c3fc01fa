"""An output that cannot be written is reported before the work begins, in one line with the reason."""

import os

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import ExitCode

REPORT, CSV, PERFETTO = ["report"], ["export", "--to", "csv"], ["export", "--to", "perfetto"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "locked").mkdir()
    return tmp_path


def fails(capsys, arguments):
    """Returns the error line of a command that is refused before it looks for its capture, which does not exist."""
    assert run([*arguments, "no-such-capture"]) == ExitCode.USAGE
    out, error = capsys.readouterr()
    assert not out and error.count("\n") == 1
    return error.strip()


@pytest.mark.parametrize(
    "verb, output, said",
    [
        (REPORT, "folder", "cannot write folder: it is a folder; name a file in it"),
        (REPORT, "nowhere/x.html", "cannot write nowhere/x.html: there is no folder nowhere"),
        (REPORT, "file/x.html", "cannot write file/x.html: file is a file, not a folder"),
        (REPORT, "", "cannot write to a file without a name: -o takes a path"),
        (["attribute"], "folder", "cannot write folder: it is a folder; name a file in it"),
        (["verify"], "nowhere/x.json", "cannot write nowhere/x.json: there is no folder nowhere"),
        (["check"], "folder", "cannot write folder: it is a folder; name a file in it"),
        (["whatif"], "folder", "cannot write folder: it is a folder; name a file in it"),
        (["compare", "a", "--", "b"], "folder", "cannot write folder: it is a folder; name a file in it"),
        (["record", "-p", "1"], "nowhere/x.html", "cannot write nowhere/x.html: there is no folder nowhere"),
        (CSV, "nowhere/tables", "cannot write nowhere/tables: there is no folder nowhere"),
        (PERFETTO, "file/x", "cannot write file/x: file is a file, not a folder"),
    ],
    ids=str,
)
def test_what_is_in_the_way(verb, output, said, here, capsys):
    assert fails(capsys, [verb[0], "-o", output, *verb[1:]]) == f"poolscope: {said}"


def test_a_folder_that_may_not_be_written(here, capsys, monkeypatch):
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != "locked" and allowed(path, mode))
    assert "the folder locked is not writable" in fails(capsys, ["report", "-o", "locked/x.html"])


def test_a_file_where_a_folder_of_tables_should_be(here, capsys):
    from poolscope.base.errors import PoolscopeError
    from poolscope.export import FORMATS, export

    with pytest.raises(PoolscopeError, match="cannot write file: it is a file, and csv is a folder"):
        export(None, FORMATS["csv"], here.relative_to(here) / "file")
