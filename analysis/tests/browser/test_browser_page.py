"""The report in Chromium: without errors, readable at once, with and without JavaScript, on screen and on paper."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib

import pytest

pytestmark = pytest.mark.browser

NAMES = ("blocked-at-cap", "core-contention", "healthy", "injection-delay")
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
DARK = 0.2
LIGHT = 0.6

# Relative luminance (0 black to 1 white) of a CSS colour in the form that getComputedStyle returns.
LUMINANCE = """(text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_without_an_error_or_a_request(chrome, pages, name):
    url = chrome.open(pages[name])["url"]
    heard = chrome.ask("heard")
    assert heard["console"] == [] and heard["errors"] == []
    # Data that the page carries itself needs no request.
    assert [r for r in heard["requests"] if not r.startswith(("data:", "blob:"))] == [url]
    assert chrome.run("() => document.querySelectorAll('.chart .main-svg').length") > 0


@pytest.mark.smoke
def test_the_policy_stops_what_tries_to_reach_the_network(chrome, page):
    chrome.open(page)
    reached = chrome.run(
        "() => fetch('http://127.0.0.1:9/').then(() => 'reached', (e) => e.message.includes('violates') || e.message)"
    )
    told = " ".join(chrome.ask("heard")["console"])
    assert reached != "reached" and "Content Security Policy" in told


@pytest.mark.parametrize("size", SCREENS)
@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_is_in_the_first_screen_and_nothing_scrolls_sideways(chrome, pages, name, size):
    chrome.open(pages[name], **SCREENS[size])
    seen = chrome.run(
        """() => {
          const box = document.querySelector("#verdict h1").getBoundingClientRect();
          const reach = [...document.querySelectorAll("body *")]
            .filter((e) => !e.closest(".scroll, .sr, .skip, svg") && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => e.tagName + "." + e.className).slice(0, 5);
          return { top: box.top, bottom: box.bottom, text: document.querySelector("#verdict h1").innerText, reach,
                   page: document.documentElement.scrollWidth, width: innerWidth, height: innerHeight };
        }"""
    )
    assert len(seen["text"]) > 20
    assert 0 <= seen["top"] and seen["bottom"] <= seen["height"]
    assert seen["page"] <= seen["width"], seen["reach"]


@pytest.mark.parametrize("size", SCREENS)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_screen_holds_confidence_strip_and_what_to_do(chrome, pages, name, size):
    chrome.open(pages[name], **SCREENS[size])
    seen = chrome.run(
        """() => {
          const box = (e) => { const b = document.querySelector(e).getBoundingClientRect(); return [b.top, b.bottom, b.height]; };
          return { badge: box(".badge"), strip: box(".bands"), fix: box("#fixes .advice li, #fixes p"), height: innerHeight };
        }"""
    )
    assert seen["strip"][2] == 60
    assert seen["badge"][1] < seen["strip"][0] and seen["strip"][1] < seen["fix"][0]
    assert seen["fix"][0] + 20 <= seen["height"], "a line of the first fix at least"


@pytest.mark.smoke
def test_a_band_of_the_strip_opens_its_incident(chrome, page):
    chrome.open(page, **SCREENS["phone"])
    chrome.run("() => document.querySelectorAll('details.incident').forEach((d) => { d.open = false; })")
    chrome.click(".band.matters")
    chrome.until(
        """() => {
          const incident = document.querySelector("details.incident"), top = incident.getBoundingClientRect().top;
          return incident.open && 0 <= top && top <= 120;
        }"""
    )


def test_dark_is_dark_and_the_charts_follow(chrome, page):
    seen = {}
    for scheme in ("light", "dark"):
        chrome.open(page, scheme=scheme)
        seen[scheme] = chrome.run(
            """() => {
              const luminance = %s;
              const text = [...document.querySelectorAll(".chart svg text")].filter((t) => t.textContent.trim());
              return { page: luminance(getComputedStyle(document.body).backgroundColor),
                       charts: text.map((t) => luminance(getComputedStyle(t).fill)) };
            }"""
            % LUMINANCE
        )
    assert seen["light"]["page"] > LIGHT and seen["dark"]["page"] < DARK

    # Labels on marks may have their own colour; the median text of a chart follows the page.
    def middle(values):
        return sorted(values)[len(values) // 2]

    assert middle(seen["light"]["charts"]) < DARK < middle(seen["dark"]["charts"])


def test_the_charts_follow_a_change_of_the_scheme(chrome, page):
    chrome.open(page, scheme="light")
    code = "() => getComputedStyle(document.querySelector('.chart svg .xtick text')).fill"
    before = chrome.run(code)
    chrome.ask("scheme", scheme="dark")
    chrome.until(f"() => ({code})() !== '{before}'")


def test_without_javascript_the_verdict_and_the_tables_are_there(chrome, page):
    chrome.open(page, scripts=False)
    seen = chrome.ask("still")
    assert len(seen["verdict"]) > 20
    assert seen["tables"] >= 3 and not seen["buttons"]


def pdf_text(file):
    """Returns the text of a PDF, if a tool for that is installed."""
    if shutil.which("pdftotext") is None:
        return None
    return subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout


def test_it_prints_on_a4_and_what_is_folded_stays_folded(chrome, page, tmp_path):
    chrome.open(page)
    verdict = chrome.run("() => document.querySelector('#verdict h1').innerText")
    output = tmp_path / "page.pdf"
    # Printing restores the page afterwards, so the test records the open parts while it prints.
    chrome.run(
        """() => { window.addEventListener("beforeprint", () => {
          window.stillFolded = document.querySelectorAll("details:not([open])").length; }); }"""
    )
    chrome.ask("pdf", output=str(output))
    assert chrome.run("() => window.stillFolded") > 5
    raw = output.read_bytes()
    sizes = [tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", raw + unpacked(raw))]
    assert len(sizes) > 1
    for _, _, width, height in sizes:
        assert (width, height) == (pytest.approx(595, abs=2), pytest.approx(842, abs=2)), "A4 in points"
    text = pdf_text(output)
    if text is not None:
        assert "".join(verdict.split()) in "".join(text.split())


def unpacked(raw):
    """Yields the decompressed streams of a PDF: newer PDFs keep page objects in them."""
    streams = []
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", raw, re.S):
        try:
            streams.append(zlib.decompress(match[1]))
        except zlib.error:
            continue
    return b"\n".join(streams)
