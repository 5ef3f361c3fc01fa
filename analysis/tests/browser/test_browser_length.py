"""The length of the report before anything is opened, with every part of it within reach."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

MOST_SCREENS = 6
MOST_A4 = 8
HEIGHT = 800
NAMES = ("blocked-at-cap", "injection-delay", "sync-over-async")


@pytest.mark.parametrize("name", NAMES)
def test_six_screens_eight_sheets_and_the_timeline_on_the_second_screen(chrome, pages, tmp_path, name):
    chrome.open(pages[name], width=1280, height=HEIGHT)
    seen = chrome.run(
        """() => ({ height: document.documentElement.scrollHeight,
             timeline: document.getElementById("pool").getBoundingClientRect().top + scrollY })"""
    )
    assert seen["height"] <= MOST_SCREENS * HEIGHT
    assert seen["timeline"] < 2 * HEIGHT
    assert chrome.ask("pdf", output=str(tmp_path / "page.pdf")) <= MOST_A4


def test_the_parts_come_in_the_order_of_the_questions(chrome, page):
    chrome.open(page)
    order = chrome.run("() => [...document.querySelectorAll('main [id]')].map((e) => e.id)")
    wanted = ["verdict", "strip", "fixes", "split", "incidents", "pool", "lanes", "waits", "worst", "blame", "cpu"]
    wanted += ["flames", "whatif", "findings", "captured", "cores", "method"]
    assert [part for part in order if part in wanted] == wanted


@pytest.mark.parametrize("anchor", ("captured", "cores", "method", "findings", "whatif-trust"))
def test_a_link_into_a_folded_part_opens_it(chrome, page, anchor):
    chrome.open(page)
    assert not chrome.run("(id) => folds.shows(document.getElementById(id))", anchor)
    chrome.run("(id) => { document.querySelector(`a[href='#${id}']`).click(); }", anchor)
    chrome.until(
        f"""() => {{
      const at = document.getElementById("{anchor}"), top = at.getBoundingClientRect().top;
      return folds.shows(at) && 0 <= top && top < innerHeight;
    }}"""
    )


def test_an_address_opens_the_story_of_its_item(chrome, page):
    chrome.open(page)
    item = chrome.run("() => document.querySelector('.stories [data-item]').dataset.item")
    chrome.open(page, hash=f"#item-{item}")
    assert chrome.run("(id) => document.querySelector(`#item-${id} > details`).open", item)


def test_every_number_of_the_verdict_leads_to_what_shows_it(chrome, page):
    chrome.open(page)
    seen = chrome.run(
        """() => ({ rest: [...document.querySelector("#verdict h1").childNodes]
               .filter((n) => n.nodeType === 3).map((n) => n.textContent).join(" "),
             links: [...document.querySelectorAll("#verdict a")].map((a) => a.getAttribute("href").slice(1))
               .filter((id) => !document.getElementById(id)) })"""
    )
    assert not any(letter.isdigit() for letter in seen["rest"]) and seen["links"] == []


def test_one_button_opens_all_and_folds_it_again(chrome, page):
    chrome.open(page)
    closed = "() => document.querySelectorAll('main details:not([open])').length"
    before = chrome.run(closed)
    chrome.click("#open-all")
    assert before > 5 and chrome.run(closed) == 0
    chrome.until("() => charts.drawn.every((name) => charts.place(name).querySelector('.main-svg'))")
    chrome.click("#open-all")
    assert chrome.run(closed) == before


def test_the_theme_is_the_reader_s_and_is_kept(chrome, page):
    chrome.open(page, scheme="light")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    tick = "() => getComputedStyle(document.querySelector('.chart svg .xtick text')).fill"
    light, drawn = chrome.run(colour), chrome.run(tick)
    chrome.click("#theme")  # light
    assert chrome.run(colour) == light
    chrome.click("#theme")  # dark
    assert chrome.run(colour) != light
    chrome.until(f"() => ({tick})() !== '{drawn}'")
    chrome.run("() => { document.documentElement.dataset.theme = ''; theme.apply(); }")
    assert chrome.run("() => document.documentElement.dataset.theme") == "dark"


def test_the_fixes_keep_every_column_on_a_phone(chrome, page):
    chrome.open(page, width=390, height=844)
    row = chrome.run(
        """() => [...document.querySelectorAll("#fixes tbody tr:first-child > *")].map((e) => {
             const box = e.getBoundingClientRect(); return [box.left, box.right, box.width, box.height]; })"""
    )
    assert len(row) == 4
    assert all(left >= 0 and right <= 390 and width > 40 and height > 10 for left, right, width, height in row)


def test_the_curve_shows_without_javascript_and_goes_when_the_chart_is_drawn(chrome, page):
    chrome.open(page, scripts=False)
    assert chrome.ask("still")["curves"] == 1
    chrome.open(page)
    assert chrome.run("() => getComputedStyle(document.querySelector('.still')).visibility") == "hidden"


def test_framework_frames_are_folded_until_they_are_opened(chrome, pages):
    chrome.open(pages["sync-over-async"])
    chrome.until("() => document.querySelector('.flame-part[open] .flame-box')")
    folded = "() => document.querySelectorAll('.flame-part[open] .flame-box.chain').length"
    before = chrome.run(folded)
    assert before > 0
    chrome.click(".flame-part[open] .flame-box.chain >> nth=0")
    assert chrome.run(folded) == before - 1
    chrome.click(".flame-part[open] .flame-unfold")
    assert chrome.run(folded) == 0
    shown = chrome.run(
        """() => {
      const frame = document.querySelector(".flame-part[open] .flame-scroll").getBoundingClientRect();
      const own = document.querySelector(".flame-part[open] .flame-box.user").getBoundingClientRect();
      return own.top >= frame.top && own.bottom <= frame.bottom;
    }"""
    )
    assert shown, "the reader's own code is in sight"
