"""The report by keyboard and for assistive technology, in Chromium."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

NAMES = ("blocked-at-cap", "core-contention", "healthy", "injection-delay")
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
MOST_STOPS = 400

# The focused element: its place in the document, and whether its focus ring is visible.
FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  const order = [...document.querySelectorAll("*")].indexOf(e);
  return { order, tag: e.tagName, id: e.id, name: e.className, text: e.textContent.trim().slice(0, 40),
           inNav: !!e.closest("nav"), href: e.getAttribute("href"),
           seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 1 && box.height > 1 };
}"""


@pytest.fixture(scope="module")
def stops(chrome, page):
    """Returns every place at which Tab stops, in that order."""
    chrome.open(page)
    found: list[dict] = []
    for _ in range(MOST_STOPS):
        chrome.press("Tab")
        at = chrome.run(FOCUSED)
        if at is None or (found and at["order"] == found[0]["order"]):
            break
        found.append(at)
    return found


def test_tab_follows_the_document(stops):
    order = [stop["order"] for stop in stops]
    assert 10 < len(order) < MOST_STOPS
    assert order == sorted(order)


def test_the_focus_is_always_seen(stops):
    assert [stop for stop in stops if not stop["seen"]] == []


def test_tab_reaches_the_skip_link_first_then_buttons_parts_and_details(stops, chrome):
    assert "skip" in stops[0]["name"]
    reached = {stop["id"] for stop in stops}
    assert {"copy", "save"} <= reached
    parts = chrome.run("() => [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href'))")
    assert [stop["href"] for stop in stops if stop["inNav"]] == parts
    summaries = chrome.run("() => [...document.querySelectorAll('summary')].filter((s) => s.checkVisibility()).length")
    assert sum(stop["tag"] == "SUMMARY" for stop in stops) == summaries > 0


def test_every_link_inside_the_page_leads_somewhere(chrome, page):
    chrome.open(page)
    lost = chrome.run(
        """() => [...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute("href").slice(1))
             .filter((id) => id && !document.getElementById(id))"""
    )
    assert lost == []


def test_enter_opens_details(chrome, page):
    chrome.open(page)
    chrome.run("() => document.querySelector('details:not([open]) summary').focus()")
    chrome.press("Enter")
    assert chrome.run("() => document.activeElement.closest('details').open")


# Every page once, and one page at the other size: a phone's layout differs in the same way on all of them.
LOOKS = [*((name, "wide") for name in NAMES), ("blocked-at-cap", "phone")]


@pytest.mark.parametrize("name, size", LOOKS)
def test_axe_finds_nothing_serious(chrome, pages, name, size):
    chrome.open(pages[name], **SCREENS[size])
    # The accessibility rules check only visible content, so the closed parts are opened.
    chrome.run("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    found = {}
    for scheme in ("light", "dark"):
        chrome.ask("scheme", scheme=scheme)
        found[scheme] = [v for v in chrome.ask("axe") if v["impact"] in ("serious", "critical")]
    assert found == {"light": [], "dark": []}


def test_axe_would_find_something(chrome, page):
    chrome.open(page)
    chrome.run("() => { document.querySelector('main').insertAdjacentHTML('afterbegin', '<button></button>'); }")
    assert ("button-name", "critical") in {(v["id"], v["impact"]) for v in chrome.ask("axe")}


@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_no_text_stands_on_a_pattern(chrome, page, scheme):
    chrome.open(page, scheme=scheme)
    chrome.until("() => [...document.querySelectorAll('.flame-graph')].every((g) => g.querySelector('.flame-box'))")
    assert chrome.ask("patterned") == []
    chrome.run("() => { document.querySelector('h1').style.background = 'linear-gradient(red, blue)'; }")
    assert chrome.ask("patterned") != []
