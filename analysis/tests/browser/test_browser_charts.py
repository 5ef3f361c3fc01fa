"""The report's charts and their marks under mouse and keyboard, in Chromium."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# The time axes as plotly has them now, of the charts that share it.
RANGES = """() => Object.fromEntries([...document.querySelectorAll(".chart")]
  .filter((c) => c.layout && c.layout.meta !== "own-axis" && c.layout.xaxis)
  .map((c) => [c.id, c.layout.xaxis.range.map(Number)]))"""
OWN_RANGES = RANGES.replace("!==", "===")
# As drawn, to the pixel: one chart may round its range otherwise than another.
SAME = 1e-3


def test_a_zoom_of_one_chart_moves_the_others(chrome, page):
    chrome.open(page)
    before, own = chrome.run(RANGES), chrome.run(OWN_RANGES)
    assert len(before) >= 2, "there is more than one chart over time"
    first = next(iter(before))
    chrome.ask("drag", selector=f"#{first} .nsewdrag >> nth=0", **{"from": 0.3, "to": 0.6})
    chrome.until(
        f"() => Object.values(({RANGES})()).every((r) => r[1] - r[0] < 0.6 * {before[first][1] - before[first][0]})"
    )
    after = chrome.run(RANGES)
    assert set(after) == set(before)
    for name, (start, end) in after.items():
        assert start == pytest.approx(after[first][0], abs=SAME), name
        assert end == pytest.approx(after[first][1], abs=SAME), name
    assert chrome.run(OWN_RANGES) == own, "a chart over something else than time stays as it is"


def test_a_double_click_shows_all_again(chrome, page):
    chrome.open(page)
    before = chrome.run(RANGES)
    first = next(iter(before))
    chrome.ask("drag", selector=f"#{first} .nsewdrag >> nth=0", **{"from": 0.3, "to": 0.6})
    chrome.until(f"() => ({RANGES})()['{first}'][0] > {before[first][0]}")
    chrome.ask("double", selector=f"#{first} .nsewdrag >> nth=0")
    span = before[first][1] - before[first][0]
    chrome.until(f"() => Object.values(({RANGES})()).every((r) => r[1] - r[0] > 0.95 * {span})")
