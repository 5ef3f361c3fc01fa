"""A check of calls that the library refuses."""

from pathlib import Path

import pytest
from poolscope import PoolscopeError

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"


def refused(error, says, call):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert says in message and "\n" not in message and len(message) < 300, message
    assert not isinstance(caught.value, PoolscopeError) or caught.value.exit_code in (2, 3, 4)
