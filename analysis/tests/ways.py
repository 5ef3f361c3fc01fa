"""Both ways in which rows are looked up: a test that takes `way` runs with machine code and without."""

import pytest
from poolscope.base import searches


@pytest.fixture(params=["machine code", "NumPy"])
def way(request, monkeypatch):
    if request.param == "NumPy":
        monkeypatch.setattr(searches, "prepared", lambda: None)
    elif searches.prepared() is None:
        pytest.skip("not made here: setup makes it on Linux x64 with a C compiler")
