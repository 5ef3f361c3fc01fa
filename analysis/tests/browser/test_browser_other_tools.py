"""The page of another tool's trace in Chromium: it leaves out lanes, waits and other charts for which data is
missing."""

from __future__ import annotations

import json

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder

pytestmark = pytest.mark.browser

ITEMS = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": "Record them"}


@pytest.fixture
def traced(tmp_path):
    """Returns the page of a trace that has only changes of the goal."""
    builder = CaptureBuilder(tmp_path / "capture", length=9000 * MS, kernel=False, launched=False)
    for second in (2, 4):
        row = {"time": second * 1000 * MS, "tid": 1, "goal": 9, "reason": 6, "throughput": 0.0}
        builder.rows["pool_changes"].append(row)
    builder.write()
    manifest = json.loads((tmp_path / "capture" / "capture.json").read_text())
    made = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
    (tmp_path / "capture" / "capture.json").write_text(json.dumps(manifest | {"made_from": made, "refused": [ITEMS]}))
    page = tmp_path / "page.html"
    page.write_text(render(analyse(open_capture(tmp_path / "capture")).to_json()), "utf-8")
    return page


@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_drawn_anew_in_the_other_theme_and_fits(width, traced, chrome):
    chrome.open(traced, width=width)
    chrome.until("() => document.querySelector('#chart-pool .main-svg') !== null")
    assert not chrome.run("() => document.getElementById('chart-lanes')")
    ink = "() => getComputedStyle(document.querySelector('#chart-pool .ytick text')).fill"
    before = chrome.run(ink)
    while chrome.run("() => getComputedStyle(document.documentElement).colorScheme") == "light":
        chrome.click("#theme")
    chrome.until(f"() => ({ink})() !== '{before}'")
    assert chrome.run("() => document.documentElement.scrollWidth <= innerWidth")
    assert not chrome.ask("heard")["errors"]


def test_only_what_is_drawn_can_be_zoomed(traced, chrome):
    chrome.open(traced)
    groups = chrome.run("() => [...document.querySelectorAll('.zoom')].map((z) => z.closest('section').id)")
    assert groups == ["pool"]
