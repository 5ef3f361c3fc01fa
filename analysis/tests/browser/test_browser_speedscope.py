"""Exported stacks, opened in speedscope itself."""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import export_readers
import pytest
from poolscope.capture import open_capture
from poolscope.export import FORMATS, Source, export

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
TITLES = ["Blocked while items waited", "Blocked inside items", "On a core", "Ready, without a core"]
SHOWN = "() => document.body.innerText"


@pytest.fixture(scope="module")
def source():
    return Source(open_capture(GOLDEN / "core-contention.zip"))


@pytest.fixture
def opened(chrome, tmp_path):
    """Opens a file in speedscope like speedscope's own command: wrapped in a script that the page loads."""
    if "npm package speedscope" in export_readers.missing():
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say("no speedscope; ./build.sh setup gets it")

    def show(file):
        content = base64.b64encode(file.read_bytes()).decode()
        script = tmp_path / "profile.js"
        script.write_text(f"speedscope.loadFileFromBase64({json.dumps(file.name)}, {json.dumps(content)})")
        chrome.open(export_readers.PAGE, hash=f"#localProfilePath={script}")
        chrome.until("() => document.body.innerText.includes('Sandwich')")

    return show


def by_method(chrome):
    """Returns the samples of each row of speedscope's table: in total, and as the leaf."""
    chrome.press("3")
    # The head of the table appears before its first row.
    chrome.until(r"() => /Symbol Name[^]*\d+ \([^)]*\)\s+\d+ \(/.test(document.body.innerText)")
    rows = re.findall(r"(\d+) \([^)]*\)\s+(\d+) \([^)]*\)\s+(\S[^\n]*)", chrome.run(SHOWN))
    return {name: (int(total), int(own)) for total, own, name in rows}


def test_every_profile_is_there_under_its_name(chrome, source, opened, tmp_path):
    export(source, FORMATS["speedscope"], tmp_path / "x.speedscope.json", "cpu")
    opened(tmp_path / "x.speedscope.json")
    assert "On a core (3/4)" in chrome.run(SHOWN), "the view that was asked for comes first"
    # The keys n and p change speedscope's page.
    chrome.press("p", "p")
    seen = []
    for number, title in enumerate(TITLES, 1):
        chrome.until(f"() => document.body.innerText.includes({json.dumps(f'{title} ({number}/4)')})")
        seen.append(title)
        chrome.press("n")
    assert seen == TITLES
    assert chrome.ask("heard")["errors"] == []


@pytest.mark.parametrize("name", ["speedscope", "folded"])
def test_its_numbers_are_ours(chrome, source, opened, tmp_path, name):
    """Both formats, read and summed by speedscope, give the samples of each method."""
    export(source, FORMATS["folded"], tmp_path / "own.folded", "cpu")
    expected: dict = {}
    for line in (tmp_path / "own.folded").read_text("utf-8").splitlines():
        stack, count = line.rsplit(" ", 1)
        for frame in set(stack.split(";")):
            total, own = expected.get(frame, (0, 0))
            expected[frame] = (total + int(count), own + int(count) * (frame == stack.split(";")[-1]))
    file = tmp_path / f"x{FORMATS[name].suffix}"
    export(source, FORMATS[name], file, "cpu")
    opened(file)
    shown = by_method(chrome)
    # The table shows as many rows as fit on the screen, the costliest first.
    assert len(shown) >= 10 and any(own > 100 for _, own in shown.values())
    assert {frame: expected[frame] for frame in shown} == shown
