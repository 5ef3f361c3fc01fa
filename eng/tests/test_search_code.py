"""The searches in machine code: made of their source alone, the same bytes each time, needing nothing of this machine."""

import subprocess

import pytest
import replay_code
from poolscope.base import searches

import search_code

made = pytest.mark.skipif(not replay_code.possible(), reason="made on Linux x64 with a C compiler")


@made
def test_setup_made_it_of_this_source():
    file = search_code.made()
    assert file is not None and file.name == searches.file_name("searches", [searches.SOURCE])
    assert searches.prepared() is not None


@made
def test_it_needs_nothing_and_shows_its_functions_alone():
    told = subprocess.run(["nm", "-D", str(search_code.made())], capture_output=True, text=True, check=True)
    shown = {line.split()[-1] for line in told.stdout.splitlines() if " T " in line}
    needed = {line.split()[-1].partition("@")[0] for line in told.stdout.splitlines() if " U " in line}
    assert shown == set(searches.TAKES) and needed <= {"__stack_chk_fail"}


@made
def test_the_same_source_makes_the_same_bytes(tmp_path):
    assert search_code.make(tmp_path) == ""
    (again,) = tmp_path.iterdir()
    assert again.read_bytes() == search_code.made().read_bytes()


@made
def test_a_compiler_that_fails_says_why(tmp_path, monkeypatch):
    broken = tmp_path / "searches.c"
    broken.write_text("no C at all\n")
    monkeypatch.setattr(search_code, "SOURCE", broken)
    assert "error" in search_code.make(tmp_path)
