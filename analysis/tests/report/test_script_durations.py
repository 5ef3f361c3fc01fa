"""Durations and times read alike everywhere: Python and the page's JavaScript are compared with one table."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from poolscope.base import words
from poolscope.html import formatting

ASSETS = Path(formatting.__file__).parents[1] / "report" / "assets"
DURATIONS = [
    (0, "0"),
    (0.001, "1 µs"),
    (0.0015, "1.5 µs"),
    (0.5914, "591 µs"),
    (0.9949, "995 µs"),
    (0.995, "0.995 ms"),
    (0.9999, "1 ms"),
    (1.125, "1.12 ms"),
    (1.375, "1.38 ms"),
    (9.995, "9.99 ms"),
    (14.16, "14.2 ms"),
    (99.96, "100 ms"),
    (112.5, "112 ms"),
    (636.502669, "637 ms"),
    (999.4, "999 ms"),
    (999.5, "1 s"),
    (1255.8, "1.26 s"),
    (60_000, "60 s"),
    (119_999, "120 s"),
    (120_000, "2.0 min"),
    (135_000, "2.2 min"),
    (165_000, "2.8 min"),
    (513_000, "8.6 min"),
    (86_400_000, "1440.0 min"),
]
"""A duration in ms, and its text."""
MOMENTS = [
    (0, "0.000 s"),
    (0.0625, "0.062 s"),
    (0.1875, "0.188 s"),
    (1.0005, "1.000 s"),
    (1.017949, "1.018 s"),
    (999.9996, "1,000.000 s"),
    (1234.5678, "1,234.568 s"),
    (1_234_567.5, "1,234,567.500 s"),
]
"""A time in seconds since the start of the capture, and its text."""


@pytest.fixture(scope="module")
def javascript():
    """Returns a function that calls a function of words.js with many numbers."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; ./build.sh setup --browser says how")
    source = (ASSETS / "words.js").read_text("utf-8")
    told = 'const asked = JSON.parse(require("fs").readFileSync(0, "utf-8"));'

    def said(function, numbers):
        script = f"{source}\n{told}\nconsole.log(JSON.stringify(asked.map((n) => words.{function}(n))));"
        done = subprocess.run(
            [node, "-e", script], input=json.dumps(numbers), capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    return said


@pytest.mark.parametrize(("ms", "said"), DURATIONS)
def test_a_duration_in_python(ms, said):
    assert formatting.duration(ms) == said


@pytest.mark.parametrize(("seconds", "said"), MOMENTS)
def test_a_time_in_python(seconds, said):
    assert words.moment(seconds) == said


@pytest.mark.parametrize(("function", "table"), [("duration", DURATIONS), ("moment", MOMENTS)])
def test_the_page_says_the_same(function, table, javascript):
    numbers, said = zip(*table, strict=True)
    assert javascript(function, numbers) == list(said)


def test_they_agree_on_any_number(javascript):
    draw = random.Random(1)
    numbers = [round(10 ** draw.uniform(-3, 8), 6) for _ in range(2000)]
    numbers += [draw.randrange(1, 1 << 20) / 2 ** draw.randrange(1, 12) for _ in range(2000)]
    assert javascript("duration", numbers) == [formatting.duration(n) for n in numbers]
    assert javascript("moment", numbers) == [words.moment(n) for n in numbers]


def test_no_other_script_formats_a_duration():
    for script in ASSETS.glob("*.js"):
        if script.name != "words.js":
            assert "60000" not in script.read_text("utf-8"), script.name


@pytest.mark.parametrize(("ms", "said"), [(float("inf"), "never"), (0.0, "0"), (14.16, "14.2 ms")])
def test_a_simulated_duration_may_never_end(ms, said):
    assert words.or_never(ms) == said
