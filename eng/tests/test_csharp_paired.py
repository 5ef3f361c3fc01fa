"""Live C# tests that tolerate another recording, beside those of Python."""

import csharp_tests
import pytest

# Files marked `built` begin first, and this one takes longest.
pytestmark = [pytest.mark.live, pytest.mark.built, pytest.mark.paired]


def test_they_pass_in_every_suite(record_property):
    said: list[str] = []
    counts = csharp_tests.run(csharp_tests.PAIRED, say=said.append)
    record_property("said", "\n".join(said))
    assert None not in counts.values(), "\n".join(said)
    assert sum(counts.values()) > 0
