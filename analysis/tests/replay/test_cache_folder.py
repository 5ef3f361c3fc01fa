"""The folder of compiled code: what lies in it is run."""

import importlib
import os
import stat

import numpy as np
import pytest
from poolscope.replay import compiled
from random_worlds import random_workload, world_of

simulating = importlib.import_module("poolscope.replay.simulate")  # the package has a function of that name


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_only_the_user_may_enter_it(umask, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    before = os.umask(umask)
    try:
        folder = compiled._cache_folder()
    finally:
        os.umask(before)
    assert folder is not None and stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_one_that_is_not_ours_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def refused(path, mode):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(compiled.Path, "chmod", refused)
    assert compiled._cache_folder() is None


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiled, "prepared_loop", lambda: None)
    compiled.numba_loop.cache_clear()
    yield
    compiled.numba_loop.cache_clear()


def test_what_numba_has_kept_is_found(empty_cache):
    """numba keeps it in a folder of its own below."""
    pytest.importorskip("numba")
    assert compiled.compiling_takes_s() == compiled.COMPILING_S
    kept = compiled._cache_folder() / "loop_0123" / "events.run-89.py311.1.nbc"
    kept.parent.mkdir()
    kept.write_bytes(b"")
    assert compiled.compiling_takes_s() == compiled.LOADING_S


def test_what_numba_keeps_is_where_it_is_looked_for(empty_cache, monkeypatch):
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "MODULES", ())
    monkeypatch.setattr(compiled.events, "run", small)
    loop = compiled.compiled_loop()
    loop(np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros(1))
    compiled.numba_loop.cache_clear()
    assert isinstance(loop, numba.core.dispatcher.Dispatcher) and compiled.compiling_takes_s() == compiled.LOADING_S


def small(f, i, hill):
    """In place of the loop, which takes 20 s to compile."""
    f[0] = 1.0


@pytest.mark.parametrize(("worlds", "compiles"), [(1, False), (100, True)])
def test_the_loop_is_compiled_at_once_where_many_worlds_are_announced(worlds, compiles, monkeypatch):
    pytest.importorskip("numba")
    used = []
    monkeypatch.setattr(simulating, "_plain", simulating._Plain())
    monkeypatch.setattr(simulating, "compiling_takes_s", lambda: 20.0)
    monkeypatch.setattr(simulating, "PLAIN_S", 1.0 / 1200)
    monkeypatch.setattr(simulating, "simulate_by", lambda workload, world, compiled: used.append(compiled))
    workload = random_workload(1, 300)
    simulating.expect(workload, worlds)
    simulating.simulate(workload, world_of("net"))
    assert used == [compiles]
