"""Captures whose names are programs, opened in Chromium: none of them runs, and no request leaves."""

from __future__ import annotations

import itertools
import socket
import threading
from pathlib import Path

import pytest
from poolscope.__main__ import run

from planted import plant

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
MARK = "window.ran"

# Uses everything that can be opened, pressed or pointed at without leaving the page.
USE = """() => {
  document.querySelectorAll("details").forEach((d) => { d.open = true; });
  const keep = (b) => b.id !== "save" && b.isConnected && !b.disabled && b.checkVisibility();
  [...document.querySelectorAll("button, [data-item], .flame-box, th, summary, a[href^='#'], .tick, .slice")].filter(keep).slice(0, 400)
    .forEach((b) => { b.focus?.(); b.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })); });
  document.querySelectorAll("details").forEach((d) => { d.open = true; });
  document.querySelectorAll(".flame-box, tr, li, svg text").forEach((e, i) => { if (i < 500)
    ["pointerenter", "pointermove", "mouseover", "mousemove"].forEach((t) => e.dispatchEvent(new PointerEvent(t, { bubbles: true }))); });
}"""
# Things that no page has and no name may add: elements that load or run, and links to other places.
STRANGERS = """() => ({
  elements: [...document.querySelectorAll("iframe, object, embed, form, base, audio, video, img, image, foreignObject, animate, set, math, noscript img")]
    .map((e) => e.outerHTML.slice(0, 200)),
  refreshes: document.querySelectorAll("meta[http-equiv=refresh i]").length,
  scripts: [...document.querySelectorAll("script:not([type])")].filter((s) => s.src || s.textContent.length < 500).map((s) => s.outerHTML.slice(0, 200)),
  links: [...document.querySelectorAll("[href], [src], [action], [formaction]")]
    .map((e) => e.getAttribute("href") ?? e.getAttribute("src") ?? e.getAttribute("action") ?? e.getAttribute("formaction"))
    .filter((l) => !/^(#|data:,$|blob:)/.test(l)),
  handlers: [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes]).filter((a) => /^on/i.test(a.name)).map((a) => a.name),
})"""


def payloads(away):
    """Returns names that are programs, markup or addresses. `away` is the address that requests would go to."""
    return (
        "<script>window.ran=1</script>",
        "</script><script>window.ran=1</script>",
        "</title></style></textarea></noscript><img src=x onerror=window.ran=1>",
        "\"><svg onload=window.ran=1 x='",
        "'-(window.ran=1)-'",
        "<a href='javascript:window.ran=1'>click</a>",
        "javascript:window.ran=1//",
        f"<iframe srcdoc='<script>parent.ran=1</script>' src={away}/frame></iframe>",
        f"<img src={away}/image>",
        f"<meta http-equiv=refresh content='0;url={away}/refresh'>",
        f"<link rel=stylesheet href={away}/style><base href={away}/>",
        f"</style><style>@import url({away}/import);*{{background:url({away}/background)}}</style>",
        f"<form action={away}/form><button autofocus onfocus=window.ran=1>x</button></form>",
        "<details open ontoggle=window.ran=1>",
        "{{ 7 * 7 }}{% for x in y %}{{ x.__class__ }}",
        "${window.ran=1}`+(window.ran=1)+`",
        "<!--<script>window.ran=1//",
        "]]><script xmlns='http://www.w3.org/1999/xhtml'>window.ran=1</script>",
        "\u2028window.ran=1\u2029//\\u003cscript\\u003ewindow.ran=1",
        "__proto__",
        "constructor",
        "%{customdata}<extra><b onmouseover=window.ran=1>hover</b></extra>",
    )


class Payloads:
    """Takes the place of the secrets in planted captures: each name is a payload, and all differ."""

    def __init__(self, away):
        self._next = itertools.cycle(payloads(away))
        self._count = itertools.count()
        self.told = ()

    def any(self, kind, ending=""):
        return f"{next(self._next)} {next(self._count)}"

    word = path = endpoint = marked = exception = method = route = any


class Listener:
    """Counts connections to a port of this machine, and keeps their requests."""

    def __init__(self):
        self.heard = 0
        self.asked = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.heard += 1
            connection.settimeout(1)
            with connection:
                try:
                    self.asked += [connection.recv(200)]
                except OSError:
                    continue

    def close(self):
        self._socket.close()


@pytest.fixture(scope="module")
def listener():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory, listener):
    """Returns page files by kind, written by the commands from captures in which every name is a payload."""
    folder = tmp_path_factory.mktemp("hostile")
    captures = []
    for golden in ("sync-over-async", "core-contention", "blocked-at-cap"):
        captures.append(folder / f"<img src=x onerror=window.ran=1> {golden}")
        plant(GOLDEN / f"{golden}.zip", captures[-1], Payloads(f"http://{listener.address}"))
    made = {}
    for capture in captures:
        made[f"report of {capture.name.split()[-1]}"] = ["report", str(capture)]
    made["redacted report"] = ["report", str(captures[0]), "--redact"]
    made["comparison"] = ["compare", str(captures[0]), "--", str(captures[1])]
    made["redacted comparison"] = ["compare", "--redact", str(captures[0]), "--", str(captures[1])]
    for number, (kind, words) in enumerate(made.items()):
        made[kind] = folder / f"{number}.html"
        assert run([*words[:1], "-o", str(made[kind]), *words[1:]]) == 0
    return made


KINDS = [
    *(f"report of {golden}" for golden in ("sync-over-async", "core-contention", "blocked-at-cap")),
    "redacted report",
    "comparison",
    "redacted comparison",
]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_hostile_capture_runs_or_leaves(chrome, hostile_pages, listener, kind):
    page = hostile_pages[kind]
    assert (MARK in page.read_text("utf-8")) == (not kind.startswith("redacted")), "the payloads are in the page"
    url = chrome.open(page)["url"]
    chrome.run(USE)
    chrome.ask("hover", selector=".chart")
    heard = chrome.ask("heard")
    # If the policy had blocked something, the console would say so.
    assert heard["console"] == [] and heard["errors"] == [] and heard["dialogs"] == [] and heard["pages"] == []
    assert [r for r in heard["requests"] if not r.startswith(("data:", "blob:"))] == [url]
    assert {place.partition("#")[0] for place in heard["places"]} == {url}
    assert chrome.run("() => window.ran ?? null") is None
    nothing = {"elements": [], "refreshes": 0, "scripts": [], "links": [], "handlers": []}
    assert chrome.run(STRANGERS) == nothing
    assert (listener.heard, listener.asked) == (0, [])


@pytest.mark.parametrize("kind", ["report of blocked-at-cap", "comparison"])
def test_the_policy_would_stop_what_got_through(chrome, hostile_pages, kind):
    """The second line of defence alone: markup and calls inserted into the page have no effect."""
    listener = Listener()
    chrome.open(hostile_pages[kind])
    chrome.run(
        """(payloads) => {
          for (const payload of payloads) {
            const place = document.createElement("div");
            // The policy of a page has no word on where it may be led.
            place.innerHTML = payload.replace(/<meta[^>]*>/g, "");
            document.body.append(place);
          }
          const script = document.createElement("script");
          script.textContent = "window.ran = 1";
          document.body.append(script);
          document.querySelectorAll("form").forEach((form) => form.submit());
        }""",
        list(payloads(f"http://{listener.address}")),
    )
    for call in ("fetch('http://AWAY/')", "new WebSocket('ws://AWAY/')", "navigator.sendBeacon('http://AWAY/', 'x')"):
        chrome.run("() => { try { %s; } catch (e) { return e.name; } }" % call.replace("AWAY", listener.address))
    # From a timer, because code that the driver runs directly may evaluate text.
    chrome.run(
        """() => setTimeout(() => {
          window.said = [() => (0, eval)("window.ran = 1"), () => new Function("window.ran = 1")()]
            .map((call) => { try { call(); return "ran"; } catch (e) { return e.name; } });
        })"""
    )
    chrome.until("() => window.said !== undefined")
    assert chrome.run("() => window.said") == ["EvalError", "EvalError"]
    chrome.run("() => new Promise((done) => setTimeout(done, 300))")
    assert chrome.run("() => window.ran ?? null") is None
    assert "Content Security Policy" in " ".join(chrome.ask("heard")["console"])
    # Chromium connects for the form before it checks the policy, and then sends nothing.
    assert [request for request in listener.asked if request] == []
    listener.close()


def test_the_listener_hears_a_request():
    """Otherwise the listener's silence would prove nothing."""
    listener = Listener()
    host, port = listener.address.split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(b"GET / HTTP/1.1")
        assert connection.recv(1) == b""
    assert (listener.heard, listener.asked) == (1, [b"GET / HTTP/1.1"])
    listener.close()
