"""The report's charts and their marks, used by mouse and keyboard, in Chromium."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# The current time axes of the charts that share one.
RANGES = """() => Object.fromEntries([...document.querySelectorAll(".chart")]
  .filter((c) => c.layout && c.layout.meta !== "own-axis" && c.layout.xaxis)
  .map((c) => [c.id, c.layout.xaxis.range.map(Number)]))"""
OWN_RANGES = RANGES.replace("!==", "===")
# Equal on the screen to the pixel: charts may round their ranges differently.
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


# The number of elements that stand for each item.
MARKED = """() => {
  const seen = {};
  document.querySelectorAll("[data-item]").forEach((e) => { (seen[e.dataset.item] ??= []).push(e.className); });
  return Object.fromEntries(Object.entries(seen).map(([item, all]) => [item, all.length]));
}"""
CHOSEN = """() => ({ item: selection.chosen(),
  marked: [...new Set([...document.querySelectorAll(".chosen")].map((e) => e.dataset.item))],
  all: [...document.querySelectorAll("[data-item]")].filter((e) => e.matches(".chosen")).length })"""


def item_with_marks(chrome):
    marked = chrome.run(MARKED)
    if not marked:
        # A section that lists items brings such elements. If the page has none, the test adds some that any section may
        # contain.
        chrome.run(
            """() => { document.querySelector("main").insertAdjacentHTML("afterbegin",
                 '<p data-item="1">one</p><p data-item="2">two</p><p data-item="1">one again</p>'); selection.refresh(); }"""
        )
        marked = chrome.run(MARKED)
    return max(marked.items(), key=lambda of: of[1])


def test_a_click_on_an_item_highlights_it_everywhere_and_escape_ends_that(chrome, page):
    chrome.open(page)
    item, count = item_with_marks(chrome)
    # A click made by the page, above the row's content: the mouse might hit a link inside it.
    chrome.run(f"() => {{ document.querySelector('[data-item=\"{item}\"]').click(); }}")
    assert chrome.run(CHOSEN) == {"item": int(item), "marked": [item], "all": count}
    chrome.press("Escape")
    assert chrome.run(CHOSEN) == {"item": None, "marked": [], "all": 0}


def test_enter_on_an_item_highlights_it(chrome, page):
    chrome.open(page)
    item, count = item_with_marks(chrome)
    chrome.click("#open-all")
    chrome.run(
        f"""() => [...document.querySelectorAll('[data-item="{item}"]')].find((e) => e.tabIndex >= 0 && !e.matches("a")).focus()"""
    )
    chrome.press("Enter")
    assert chrome.run(CHOSEN) == {"item": int(item), "marked": [item], "all": count}


def test_an_address_chooses_its_item_on_load(chrome, page):
    chrome.open(page)
    item, _ = item_with_marks(chrome)
    chrome.open(page, hash=f"#item-{item}")
    assert chrome.run(CHOSEN)["item"] == int(item)
