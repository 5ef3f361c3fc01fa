"""The report in Firefox: it opens without complaints, draws its charts, opens folded parts and changes its theme."""

from __future__ import annotations

import pytest

from firefox import Firefox, firefox

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fox():
    if firefox() is None:
        # Not a failure in CI either, unlike a missing Chromium: Chromium runs every test of the page too.
        pytest.skip("no Firefox to test with: firefox-esr missing; apt-get install firefox-esr gets it")
    browser = Firefox()
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def opened(fox, pages):
    fox.open(pages["sync-over-async"])
    fox.until("() => document.querySelectorAll('.chart .main-svg').length >= 6")
    return fox


def test_it_opens_without_a_complaint_and_shows_the_verdict(opened):
    assert len(opened.run("() => document.querySelector('#verdict h1').innerText")) > 20
    box = opened.run(
        "() => { const b = document.querySelector('#verdict h1').getBoundingClientRect(); return [b.top, b.bottom]; }"
    )
    assert 0 <= box[0] < box[1] <= opened.run("() => innerHeight")
    assert opened.console() == []


def test_every_chart_in_sight_is_drawn(opened):
    opened.until("() => document.querySelector('.flame-part[open] .flame-box')")
    empty = opened.run(
        """() => [...document.querySelectorAll('.chart')]
      .filter((c) => c.checkVisibility() && !c.querySelector('.main-svg, canvas')).map((c) => c.id)"""
    )
    assert empty == []


def test_a_link_opens_a_folded_part(opened):
    assert not opened.run("() => document.getElementById('captured').closest('details').open")
    opened.click("nav a[href='#captured']")
    opened.until("() => document.getElementById('captured').closest('details').open")
    opened.click("nav a[href='#cores']")
    opened.until("() => document.querySelector('#chart-cores-used .main-svg')")


def test_the_theme_changes(opened):
    colour = "() => getComputedStyle(document.body).backgroundColor"
    seen = [opened.run(colour)]
    for _ in range(3):
        opened.click("#theme")
        seen.append(opened.run(colour))
    assert len(set(seen)) == 2 and seen[0] == seen[3]


def test_a_script_that_fails_would_be_heard(opened):
    opened.run("() => { setTimeout(() => { throw new Error('heard'); }); }")
    opened.until("() => true")
    assert any("heard" in said for said in opened.console())
