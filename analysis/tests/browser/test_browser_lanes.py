"""Worker lanes in Chromium: the picture on the canvas, by mouse and keyboard, in both colour schemes and on paper."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

FOCUS = "(id) => { document.getElementById('chart-' + id).focus({ focusVisible: true }); }"
SAYS = "(id) => document.getElementById(id + '-says').textContent"
RING = """(id) => {
  const chart = document.getElementById("chart-" + id), ring = chart.querySelector(".ring");
  const a = ring.getBoundingClientRect(), b = chart.getBoundingClientRect();
  return { hidden: ring.hidden, within: a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1,
           width: a.width, height: a.height };
}"""
RANGE = "() => timeZoom.range()"
# The number of canvas pixels in the colour of each state, and a checksum that changes with the picture.
PICTURE = """() => {
  const canvas = document.querySelector("#chart-lanes canvas"), context = canvas.getContext("2d");
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const style = getComputedStyle(document.documentElement), found = {};
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) >>> 0;
  for (const state of ["running", "ready", "blocked"]) {
    const colour = parseInt(style.getPropertyValue("--state-" + state).trim().slice(1), 16);
    found[state] = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === colour && data[i + 3] === 255) found[state]++;
    }
  }
  return { found, sum, width: canvas.width };
}"""
# The seconds of each state, summed over the segments.
SECONDS = """() => {
  const { segments } = JSON.parse(document.getElementById("data-analysis").textContent).lanes, of = { running: 0, ready: 0, blocked: 0 };
  segments.state.forEach((s, i) => { of[s] += segments.end_s[i] - segments.start_s[i]; });
  return of;
}"""


def picture_other_than(chrome, before):
    chrome.until(f"() => ({PICTURE})().sum !== {before['sum']}")
    return chrome.run(PICTURE)


def test_the_canvas_shows_every_state_that_takes_time(chrome, page):
    chrome.open(page)
    seconds, found = chrome.run(SECONDS), chrome.run(PICTURE)["found"]
    whole = chrome.run(RANGE)[1]
    # At least three columns of one lane: a shorter stretch may share its pixel with another state.
    long = {state for state, length in seconds.items() if length / whole > 0.02}
    assert long and {state for state, pixels in found.items() if pixels} >= long


def test_the_picture_follows_zoom_and_scheme(chrome, page):
    chrome.open(page, scheme="light")
    before = chrome.run(PICTURE)
    chrome.run("() => { const [from, to] = timeZoom.range(); timeZoom.set(from, (from + to) / 2); }")
    zoomed = picture_other_than(chrome, before)
    chrome.ask("scheme", scheme="dark")
    dark = picture_other_than(chrome, zoomed)
    # The picture uses the dark scheme's colours.
    assert any(dark["found"].values())


def test_a_drag_zooms_all_charts_and_a_double_click_shows_all_again(chrome, page):
    chrome.open(page)
    whole = chrome.run(RANGE)
    chrome.ask("drag", selector="#chart-lanes canvas", **{"from": 0.3, "to": 0.6})
    chrome.until(f"() => {{ const [a, b] = timeZoom.range(); return b - a < 0.5 * {whole[1] - whole[0]}; }}")
    assert chrome.run("() => selection.chosen()") is None, "a drag is no click"
    shown = chrome.run(RANGE)
    chrome.until(f"() => Math.abs(document.getElementById('chart-waits').layout.xaxis.range[0] - {shown[0]}) < 1e-9")
    chrome.ask("double", selector="#chart-lanes canvas")
    chrome.until(f"() => timeZoom.range()[1] === {whole[1]}")


def test_lanes_by_keyboard(chrome, page):
    chrome.open(page)
    chrome.run(FOCUS, "lanes")
    chrome.until("() => document.getElementById('lanes-says').textContent.startsWith('Worker ')")
    ring = chrome.run(RING, "lanes")
    assert not ring["hidden"] and ring["within"] and ring["width"] >= 7
    said = [chrome.run(SAYS, "lanes")]
    for key in ("End", "Home", "ArrowRight", "ArrowDown", "Shift+ArrowRight"):
        chrome.press(key)
        said.append(chrome.run(SAYS, "lanes"))
        chrome.until("() => !document.querySelector('#chart-lanes .ring').hidden")
    assert len(set(said)) >= 4 and all(text.startswith("Worker ") and " with " in text for text in said)
    assert said[-2].split(":")[0] != said[0].split(":")[0], "down is another worker"
    chrome.press("Enter")
    chosen = chrome.run("() => selection.chosen()")
    assert chosen is not None and f"item {chosen}" in said[-1]
    chrome.press("Escape")
    assert chrome.run("() => selection.chosen()") is None and chrome.run(SAYS, "lanes") == ""
    assert chrome.run(RING, "lanes")["hidden"]


def test_waits_by_keyboard(chrome, page):
    chrome.open(page)
    order = chrome.run(
        "() => [...timelineMarks.all().values()].sort((a, b) => a.enqueue - b.enqueue).map((i) => i.wait)"
    )
    chrome.run(FOCUS, "waits")
    chrome.until("() => document.getElementById('waits-says').textContent.startsWith('Item ')")
    first = chrome.run(SAYS, "waits")
    assert " waited " in first and ", mainly " in first
    ring = chrome.run(RING, "waits")
    assert not ring["hidden"] and ring["width"] == ring["height"] == 20
    chrome.press("End")
    last = chrome.run(SAYS, "waits")
    chrome.press("ArrowLeft", "ArrowRight")
    assert chrome.run(SAYS, "waits") == last != first
    chrome.press("Home")
    assert chrome.run(SAYS, "waits") == first
    # The keys stop at the longest segment.
    chrome.press(*["ArrowUp"] * (len(order) + 1))
    longest = chrome.run("() => Math.max(...[...timelineMarks.all().values()].map((i) => i.wait))")
    chrome.press("Enter")
    chosen = chrome.run("() => selection.chosen()")
    assert chrome.run("(id) => timelineMarks.known(id).wait", chosen) == longest
    chrome.press("Escape")
    assert chrome.run("() => selection.chosen()") is None


def test_plus_zooms_around_the_mark_and_keeps_it_in_sight(chrome, page):
    chrome.open(page)
    whole = chrome.run(RANGE)
    chrome.run(FOCUS, "lanes")
    chrome.press("End", "+", "+")
    shown = chrome.run(RANGE)
    assert shown[1] - shown[0] < 0.3 * (whole[1] - whole[0])
    chrome.until("() => !document.querySelector('#chart-lanes .ring').hidden")
    chrome.press("Home")
    chrome.until(f"() => timeZoom.range()[0] < {shown[0]}")
    chrome.until("() => !document.querySelector('#chart-lanes .ring').hidden")


def test_the_pointer_finds_what_the_keyboard_does(chrome, page):
    chrome.open(page)
    chrome.run(FOCUS, "lanes")
    chrome.press("ArrowDown")
    said = chrome.run(SAYS, "lanes")
    told = chrome.run(
        """() => {
          const box = document.querySelector("#chart-lanes .ring").getBoundingClientRect();
          document.activeElement.blur();
          document.querySelector("#chart-lanes canvas").dispatchEvent(new PointerEvent("pointermove",
            { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true }));
          const tip = document.querySelector(".tip");
          return tip.hidden ? null : tip.textContent;
        }"""
    )
    assert told is not None and told.split(":")[0] == said.split(":")[0]


def test_a_zoom_draws_first_what_is_in_sight_and_then_all_the_rest(chrome, page):
    chrome.open(page)
    chrome.click("#open-all")
    chrome.until("() => charts.drawn.every((name) => charts.place(name).querySelector('.main-svg'))")
    chrome.run(
        """() => {
          document.getElementById("chart-waits").scrollIntoView({ block: "center" });
          window.order = [];
          charts.drawn.filter(timeZoom.isTimed).forEach((name) =>
            charts.place(name).on("plotly_relayout", () => window.order.push(name)));
        }"""
    )
    # The page learns one frame later which parts became visible.
    chrome.run("() => new Promise((done) => setTimeout(done, 500))")
    count = chrome.run("() => charts.drawn.filter(timeZoom.isTimed).length")
    chrome.run("() => { const [from, to] = timeZoom.range(); timeZoom.set(from, (from + to) / 2); }")
    chrome.until(f"() => window.order.length === {count}")
    order = chrome.run("() => window.order")
    assert order[0] == "waits" and set(order[-2:]) <= {"states", "cores-used", "limits"}


def test_paper_gets_sharp_lanes_and_no_slivers_of_flames(chrome, page, tmp_path):
    chrome.open(page)
    chrome.until("() => [...document.querySelectorAll('.flame-graph')].every((g) => g.querySelector('.flame-box'))")
    chrome.run(
        """() => { addEventListener("beforeprint", () => {
          const canvas = document.querySelector("#chart-lanes canvas");
          const shares = [...document.querySelectorAll(".flame-box")].map((b) => parseFloat(/([\\d.e-]+)%/.exec(b.style.width)[1]));
          window.paper = { width: canvas.width, shown: canvas.style.width, least: Math.min(...shares) };
        }); }"""
    )
    before = chrome.run(PICTURE)["width"]
    chrome.ask("pdf", output=str(tmp_path / "page.pdf"))
    paper = chrome.run("() => window.paper")
    assert paper["shown"] == "660px" and paper["width"] == 3 * 660
    assert paper["least"] / 100 * 660 >= 3
    chrome.until(f"() => document.querySelector('#chart-lanes canvas').width === {before}")
