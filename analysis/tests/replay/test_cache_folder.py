"""The folder of compiled code: what lies in it is run."""

import os
import stat

import pytest
from poolscope.replay import compiled


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
