"""The loop that was made beforehand: found, held to the sources it was made of, and given up if it does not load."""

import shutil
import sys

import numpy as np
import pytest
from poolscope.base import prepared
from poolscope.replay import compiled, machine_code

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made for Linux x64 alone")


@pytest.fixture
def anew():
    """`prepared_loop` keeps what it found."""
    machine_code.prepared_loop.cache_clear()
    yield
    machine_code.prepared_loop.cache_clear()


@pytest.mark.parametrize("changed", ["loop/events.py", "hill_climbing.py"])
def test_after_a_change_of_its_sources_another_file_is_looked_for(changed, tmp_path, monkeypatch):
    source = machine_code.Path(machine_code.__file__).parent
    copy = tmp_path / "replay"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(machine_code, "__file__", str(copy / "machine_code.py"))
    before = machine_code.file_name()
    with (copy / changed).open("a") as file:
        file.write("\n")
    assert machine_code.file_name() != before


@pytest.mark.parametrize("content", [None, b"", b"\x7fELF and then nothing that a linker knows"])
def test_one_that_is_missing_or_does_not_load_is_left_to_numba(content, tmp_path, monkeypatch, anew):
    monkeypatch.setattr(machine_code, "PACKAGED", tmp_path)
    monkeypatch.setattr(machine_code, "BUILT", tmp_path)
    if content is not None:
        (tmp_path / machine_code.file_name()).write_bytes(content)
    assert machine_code.prepared_loop() is None


def test_another_kind_of_machine_has_none(monkeypatch, anew):
    monkeypatch.setattr(prepared.platform, "machine", lambda: "aarch64")
    assert machine_code.prepared_loop() is None


def test_it_costs_nothing_and_needs_no_numba(monkeypatch):
    monkeypatch.setattr(compiled, "prepared_loop", lambda: len)
    monkeypatch.setattr(compiled, "find_spec", lambda name: None)
    assert (compiled.compiling_takes_s(), compiled.compiles(), compiled.compiled_loop()) == (0.0, True, len)


@pytest.mark.parametrize(
    "wrong",
    [
        (np.zeros(4, dtype=np.float32), np.zeros(4, dtype=np.int64), np.zeros(4)),
        (np.zeros(4), np.zeros(4), np.zeros(4)),
        (np.zeros(8)[::2], np.zeros(4, dtype=np.int64), np.zeros(4)),
    ],
)
def test_arrays_of_another_shape_never_reach_it(wrong):
    called = []
    with pytest.raises(TypeError, match="contiguous"):
        machine_code._on_arrays(lambda *passed: called.append(passed) or 0)(*wrong)
    assert not called


def test_an_error_inside_it_is_raised():
    arrays = (np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros(1))
    with pytest.raises(RuntimeError, match="code 1"):
        machine_code._on_arrays(lambda *passed: 1)(*arrays)
