"""--from, --until and --memory: accepted values, and one clear line with exit code 2 for all others."""

from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import InvalidArgument
from poolscope.cli.options import parse_moment, parse_size

GOLDEN = str(Path(__file__).resolve().parents[3] / "traces" / "golden" / "injection-delay.zip")


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 << 30), ("512MiB", 512 << 20), ("1.5 gb", 3 << 29), ("2GiB", 2 << 30), ("4G", 4 << 30)],
)
def test_sizes(text, size):
    assert parse_size("--memory", text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("250ms", 0.25), ("1.5m", 90), ("00:01:30", 90), ("1:00:00:00", 86400), ("0", 0)],
)
def test_moments(text, seconds):
    assert parse_moment("--from", text) == seconds


@pytest.mark.parametrize("text", ["", "4", "4P", "GB", "-1GB", "4 EB", "1kB", "nanGB", "9" * 400 + "GB"])
def test_what_is_no_size(text):
    with pytest.raises(InvalidArgument, match="--memory"):
        parse_size("--memory", text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--from", "soon"], "--from soon: a time from the beginning of the recording"),
        (["--until", "-5s"], "--until -5s: a time"),
        (["--until", "0"], "--until 0: the part must end"),
        (["--from", "5s", "--until", "4s"], "--from 5s --until 4s: the part has to end after it begins"),
        (["--from", "1h"], "the recording is over by then"),
        (["--memory", "lots"], "--memory lots: a size with its unit"),
    ],
)
@pytest.mark.parametrize("verb", ["attribute", "report"])
def test_bad_values_end_with_exit_code_2(verb, options, said, capsys):
    assert run([verb, GOLDEN, *options]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
