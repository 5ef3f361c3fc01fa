"""The replay loop that setup makes beforehand."""

import subprocess

import pytest
import standalone
from poolscope.replay import machine_code

import replay_code
import repo

made = pytest.mark.skipif(not replay_code.possible(), reason="made on Linux x64 with a C compiler")


@made
def test_setup_made_it_of_the_sources_as_they_are_and_it_loads():
    file = replay_code.made()
    assert file is not None and file.name == machine_code.file_name()
    assert machine_code.prepared_loop() is not None


@made
def test_it_shows_one_function_and_runs_where_the_collector_does():
    file = replay_code.made()
    standalone.hold_to_glibc(file)
    told = subprocess.run(["nm", "-D", "--defined-only", str(file)], capture_output=True, text=True)
    if told.returncode == 0:
        shown = {line.split()[-1] for line in told.stdout.splitlines() if " T " in line}
        assert machine_code.FUNCTION in shown and not any(name.startswith("Py") for name in shown)


@made
@pytest.mark.built
def test_the_same_sources_make_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(replay_code, "FOLDER", tmp_path)
    before = replay_code.made()
    assert replay_code._make() == "" and before is None
    assert replay_code.made().read_bytes() == next((repo.CACHE / "replay").glob("loop-*.so")).read_bytes()
