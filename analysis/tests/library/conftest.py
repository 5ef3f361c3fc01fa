"""A captured process for the tests of the library."""

import poolscope
import pytest
from library.refused import GOLDEN


@pytest.fixture(scope="module")
def golden():
    return poolscope.open(GOLDEN / "blocked-at-cap.zip")
