"""The page: safe with hostile names, self-contained, reproducible to the byte, and honest about unknown values."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from poolscope.html.escape import markdown, plotly_text, visible
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder, sleepers

HOSTILE = "</script><img src=x onerror=alert(1)><b>&amp;\u202e\u2028\ud800"


class Page(HTMLParser):
    """Collects tags with their attributes, the text outside scripts, and embedded data by id."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.data, self._open = [], "", {}, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open = (tag, dict(attributes)) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open is None:
            self.text += data.replace("\u00a0", " ")  # numbers are not separated from their units
        elif "id" in self._open[1]:
            self.data[self._open[1]["id"]] = json.loads(data)

    def with_class(self, name):
        return [tag for tag, attributes in self.tags if name in (attributes.get("class") or "").split()]


def crowded(folder):
    """Builds twenty items of 500 ms on two threads: injection delay, and a goal that grows. A snapshot every 200 ms,
    for 1.5 s."""
    changes = ((1000 * MS, 3), (2000 * MS, 4))
    threads = lambda t: 2 + sum(at <= t for at, _ in changes)  # noqa: E731
    builder = sleepers(
        folder, count=20, gap=10 * MS, sleep=500 * MS, threads=threads, limits=(2, 32767), changes=changes
    )
    stack = ("System.Threading.Thread.Sleep", "App.Nap<T>", None)
    builder.rows["frames"] = [{"method": name, "resolved": int(name is not None)} for name in stack]
    builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": 2 - i} for i in range(3)]
    workers = {row["worker_tid"] for row in builder.rows["work_items"]}
    times = range(100 * MS, 1500 * MS, 200 * MS)
    builder.rows["snapshots"] = [{"time": time, "tid": tid, "stack": 2} for time in times for tid in sorted(workers)]
    return builder.write()


def idle(folder, **options):
    builder = CaptureBuilder(folder, length=1000 * MS, **options)
    builder.item(MS, MS + 50_000, 2 * MS, 200, [("running", MS - 50_000)])
    return builder.write()


@pytest.fixture
def analysis(tmp_path):
    return analyse(crowded(tmp_path / "crowded")).to_json()


def spoiled(value):
    """Makes every free text of the analysis hostile; texts that the code compares stay."""
    if isinstance(value, dict):
        closed = {"id", "cause", "severity", "status", "confidence", "tier", "fix", "kind", "limit"}
        # The states of a lane's stretches are a column.
        columns = {"state"}
        return {
            k: v if (k in closed and isinstance(v, str)) or (k in columns and isinstance(v, list)) else spoiled(v)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [spoiled(v) for v in value]
    return HOSTILE if isinstance(value, str) else value


def test_hostile_names_stay_text(analysis):
    hostile = spoiled(copy.deepcopy(analysis))
    hostile["capture"]["refused"] = [{"stream": HOSTILE, "wanted": HOSTILE, "why": HOSTILE, "how": HOSTILE}]
    hostile["coverage"]["cut"] = [HOSTILE]
    html = render(hostile)
    html.encode("utf-8")
    page = Page(html)
    names = {tag for tag, _ in page.tags}
    assert not names & {"img", "b", "iframe", "object"}
    assert not any(a.startswith("on") for _, attributes in page.tags for a in attributes)
    assert "onerror=alert(1)" in page.text, "the name is shown, as text"
    assert "\u202e" not in page.text and "\u2028" not in page.text
    assert "<img" not in json.dumps(page.data["data-figures"]) and "<img" not in page.data["data-markdown"]
    assert page.data["data-analysis"] == hostile


def test_embedded_analysis_is_the_input(analysis):
    assert Page(render(analysis)).data["data-analysis"] == analysis


def test_same_input_same_bytes(analysis):
    assert render(analysis) == render(json.loads(json.dumps(analysis)))


def test_nothing_is_loaded_from_anywhere(analysis):
    page = Page(render(analysis))
    for tag, attributes in page.tags:
        for name in ("src", "href", "srcset", "action", "data"):
            assert re.match(r"#|data:,$|$", attributes.get(name) or ""), (tag, attributes)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy and "http" not in policy


def test_says_verdict_split_and_every_change_of_the_goal(analysis):
    page = Page(render(analysis))
    assert analysis["verdict"]["text"] in page.text
    assert page.with_class("cause") == ["section"]
    assert "20 of 20 items fully traced" in page.text
    assert page.text.count("one thread added") >= len(analysis["timeline"]["pool_changes"])
    assert {"injection delay", "blocking", "core contention"} <= set(re.findall(r"[a-z]+(?: [a-z]+)?", page.text))
    assert "bound method" not in page.text and "object at 0x" not in page.text


def test_says_what_held_the_threads_and_what_has_no_stack(analysis):
    named, unnamed = analysis["blame"]
    assert (named["method"], named["kind"], unnamed["stacks"]) == ("App.Nap<T>", "sleep", [])
    page = Page(render(analysis))
    said = " ".join(page.text.rpartition("What held the threads")[2].split())
    assert f"App.Nap<T> Stack {named['thread_s']:.3g} s" in said
    assert "code without a name" in said and "no stack" in said
    assert "1 frame of 3 on all stacks without a name" in said


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (idle, "healthy", "1 of 1 item fully traced"),
        (lambda folder: CaptureBuilder(folder, length=1000 * MS).write(), "no-work", "No work item was seen"),
        (lambda folder: idle(folder, kernel=False), "healthy", "not split by cause"),
        (lambda folder: idle(folder, lost=5000), "cannot-tell", "5,000 runtime events lost"),
    ],
    ids=["one item", "no work", "no kernel stream", "lost events"],
)
def test_other_verdicts_look_different(tmp_path, make, kind, says):
    page = Page(render(analyse(make(tmp_path / "capture")).to_json()))
    assert page.with_class(kind)[0] == "section"
    assert says in page.text
    assert not [
        k for k in ("cause", "healthy", "no-work", "cannot-tell") if k != kind and page.with_class(k) == ["section"]
    ]


def test_lower_bounds_are_marked(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=1000 * MS)
    builder.item(-1, 300 * MS, 310 * MS, 200, [("running", 10 * MS)])
    builder.item(100 * MS)
    analysis = analyse(builder.write()).to_json()
    page = Page(render(analysis))
    assert "≥ 900 ms" in page.text and "1 item still queued at its end" in page.text
    waits = page.data["data-figures"]["waits"]["data"]
    assert all(trace["marker"]["symbol"].endswith("-open") for trace in waits)


def test_a_reference_pool_is_named_and_the_runtime_s_own_is_not(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=1000 * MS)
    builder.item(MS, MS + 50_000, 2 * MS, 200, [("running", MS - 50_000)])
    assert "reference pool" not in Page(render(analyse(builder.write()).to_json())).text
    builder.manifest["pool"] = {"provider": "Poolscope-ReferencePool", "name": "fixed:3", "other_items": 12}
    analysis = analyse(builder.write()).to_json()
    assert (analysis["coverage"]["pool"], analysis["coverage"]["other_pool_items"]) == ("fixed:3", 12)
    assert "reference pool fixed:3 (12 items of the runtime's own pool left out)" in Page(render(analysis)).text


def test_escapes():
    assert visible("a\u202eb\x00\ud800\n") == "a\\u202eb\\u0000\\ud800\n"
    assert plotly_text("<b>&lt;") == "&lt;b&gt;&amp;lt;"
    assert markdown("<i>\n| `x`") == "&lt;i&gt; \\| \\`x\\`"


@pytest.mark.browser
@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
def test_browser_draws_it_without_a_complaint(analysis, tmp_path, hostile):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    (tmp_path / "page.html").write_text(render(spoiled(analysis) if hostile else analysis), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += [
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    options += ["--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=60
    )
    # The policy forbids every request, and a blocked request is an error on the console.
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    assert done.stdout.count('class="main-svg"') >= 3, "the charts are drawn"
