"""Both ways of looking up rows: a test that takes `way` runs with the native extension and without."""

import pytest
from poolscope import native

NATIVE = pytest.mark.skipif(native.extension is None, reason="not made here: setup makes it with a C++ compiler")


@pytest.fixture(params=[pytest.param("native", marks=NATIVE), "NumPy"])
def way(request, monkeypatch):
    if request.param == "NumPy":
        monkeypatch.setattr(native, "extension", None)
