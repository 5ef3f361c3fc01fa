"""The page of a fleet in Chromium."""

from pathlib import Path
from typing import Any

import pytest
from poolscope.fleets.answer import gather
from poolscope.fleets.answer_json import to_json
from poolscope.fleets.cluster import Cluster
from poolscope.fleets.page import render
from poolscope.fleets.row import Failed
from poolscope.fleets.question import ask

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = ("healthy", "injection-delay", "core-contention", "sync-over-async", "blocked-at-cap")
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
HOSTILE = '<img src=x onerror="alert(1)">\u202e'


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Returns the page of golden captures with labels: host b has the slow ones, and one version's name is hostile."""
    plain = ask([str(GOLDEN / f"{name}.zip") for name in NAMES], 50.0, Cluster(1), None)
    rows = []
    for number in range(24):
        bad = number % 4 == 3
        row: Any = plain[1 if bad else 0]
        hour = {"start_utc": f"2026-03-02T{number % 6:02}:00:00+00:00"}
        labels = {
            "service": "shop",
            "host": "b" if bad else "acd"[number % 3],
            "version": HOSTILE if number > 11 else "1",
        }
        rows.append(type(row)(**{**vars(row), "source": f"c{number}", **hour}).labelled(labels))
    content = to_json(gather([*rows, Failed("broken.zip", "a zip without a capture.json")], 50.0))
    page = tmp_path_factory.mktemp("fleet") / "fleet.html"
    page.write_text(render(content), "utf-8")
    return page


def test_it_opens_without_an_error_or_a_request_and_draws_every_chart(chrome, fleet):
    url = chrome.open(fleet)["url"]
    chrome.until("() => document.querySelectorAll('.chart .main-svg').length >= 3")
    heard = chrome.ask("heard")
    assert heard["console"] == [] and heard["errors"] == []
    assert [r for r in heard["requests"] if not r.startswith(("data:", "blob:"))] == [url]
    assert chrome.run("() => document.querySelectorAll('main img').length") == 0


@pytest.mark.parametrize("size", SCREENS)
def test_the_answer_is_in_the_first_screen_and_nothing_scrolls_sideways(chrome, fleet, size):
    chrome.open(fleet, **SCREENS[size])
    seen = chrome.run(
        """() => {
          const box = document.querySelector("#verdict h1").getBoundingClientRect();
          return { bottom: box.bottom, height: innerHeight, page: document.documentElement.scrollWidth, width: innerWidth,
                   text: document.querySelector("#verdict h1").textContent };
        }"""
    )
    assert seen["bottom"] <= seen["height"] and seen["page"] <= seen["width"]
    assert "host b" in seen["text"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chrome, fleet, scheme):
    chrome.open(fleet, scheme=scheme)
    assert [v for v in chrome.ask("axe") if v["impact"] in ("serious", "critical")] == []


def test_without_javascript_the_tables_are_there(chrome, fleet):
    chrome.open(fleet, scripts=False)
    assert chrome.ask("still")["tables"] >= 3


def test_it_prints_in_light_colours(chrome, fleet, tmp_path):
    chrome.open(fleet, scheme="dark")
    chrome.run(
        """() => { window.addEventListener("beforeprint", () => {
          window.theme = document.documentElement.dataset.theme; }); }"""
    )
    chrome.ask("pdf", output=str(tmp_path / "page.pdf"))
    assert chrome.run("() => [window.theme, document.documentElement.dataset.theme ?? null]") == ["light", None]


def test_the_button_saves_what_the_page_was_made_of(chrome, fleet):
    chrome.open(fleet)
    name, content = chrome.save()
    assert name == "fleet.json" and content["captures"]
