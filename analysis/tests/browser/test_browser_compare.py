"""The page of a comparison in Chromium."""

from pathlib import Path

import pytest
from poolscope.capture import open_capture
from poolscope.compare import compare_runs
from poolscope.compare.page import render
from poolscope.compare.run import summarised
from poolscope.product import analyse

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    made = [summarised(analyse(open_capture(GOLDEN / f"{name}.zip")), True) for name in ("healthy", "injection-delay")]
    page = tmp_path_factory.mktemp("compare") / "compare.html"
    page.write_text(render(compare_runs(made[:1], made[1:]).to_json()), "utf-8")
    return page


def test_it_opens_without_an_error_or_a_request_and_draws_every_chart(chrome, comparison):
    url = chrome.open(comparison)["url"]
    chrome.until("() => document.querySelectorAll('.chart .main-svg').length >= 3")
    heard = chrome.ask("heard")
    assert heard["console"] == [] and heard["errors"] == []
    assert [r for r in heard["requests"] if not r.startswith(("data:", "blob:"))] == [url]
    places = chrome.run("() => [...document.querySelectorAll('.chart')].map((c) => !!c.querySelector('.main-svg'))")
    assert places == [True, True, True]


@pytest.mark.parametrize("size", SCREENS)
def test_the_answer_is_in_the_first_screen_and_nothing_scrolls_sideways(chrome, comparison, size):
    chrome.open(comparison, **SCREENS[size])
    seen = chrome.run(
        """() => {
          const box = document.querySelector("#verdict h1").getBoundingClientRect();
          return { bottom: box.bottom, height: innerHeight, page: document.documentElement.scrollWidth, width: innerWidth };
        }"""
    )
    assert seen["bottom"] <= seen["height"] and seen["page"] <= seen["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chrome, comparison, scheme):
    chrome.open(comparison, scheme=scheme)
    assert [v for v in chrome.ask("axe") if v["impact"] in ("serious", "critical")] == []


def test_without_javascript_the_tables_are_there(chrome, comparison):
    chrome.open(comparison, scripts=False)
    seen = chrome.ask("still")
    assert seen["verdict"].startswith("Single runs: ") and seen["tables"] >= 3 and not seen["buttons"]


def test_it_prints_in_light_colours(chrome, comparison, tmp_path):
    chrome.open(comparison, scheme="dark")
    chrome.run(
        """() => { window.addEventListener("beforeprint", () => {
          window.theme = document.documentElement.dataset.theme; }); }"""
    )
    chrome.ask("pdf", output=str(tmp_path / "page.pdf"))
    assert chrome.run("() => [window.theme, document.documentElement.dataset.theme ?? null]") == ["light", None]


def test_the_button_saves_what_the_page_was_made_of(chrome, comparison):
    chrome.open(comparison)
    name, content = chrome.save()
    assert name == "comparison.json" and content["rows"]
