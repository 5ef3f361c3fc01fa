"""Durations as people type them."""

import pytest
from poolscope.base.errors import InvalidArgument
from poolscope.cli.options import parse_length


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("300", 300),
        ("30s", 30),
        ("5m", 300),
        ("5min", 300),
        ("1.5h", 5400),
        (" 2 m ", 120),
        ("00:05:00", 300),
        ("1:00:00:00", 86400),
        ("0:00:00:30", 30),
    ],
)
def test_every_usual_form_is_understood(text, seconds):
    assert parse_length("--duration", text) == seconds


def test_nothing_is_nothing():
    assert parse_length("--duration", None) is None


@pytest.mark.parametrize(
    "text", ["", "5 apples", "0", "0.5s", "00:00:00", "-5s", "00:99:00", "1:2:3:4:5", "5ms", "inf", "1e9"]
)
def test_anything_else_is_refused_by_its_option(text):
    with pytest.raises(InvalidArgument, match="--duration"):
        parse_length("--duration", text)
