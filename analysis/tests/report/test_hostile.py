"""Hostile names in every place of a capture that can hold one: text of the page, its charts, its title and the
Markdown."""

from __future__ import annotations

import copy
import json
import re

import pytest
from click.testing import CliRunner
from poolscope.cli.command import poolscope
from poolscope.html.escape import NAME_LENGTH, TEXT_LENGTH, markdown, plotly_text, shortened, visible
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.rendering import to_markdown
from test_page import Page, crowded

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
NAMES = {
    "markup": "</script><img src=x onerror=alert(1)>",
    "comment": "<!--<script>]]>",
    "bidi": f"safe{BIDI}txt.exe",
    "controls": "a\x00b\x1b[31mred\x07\x7f\x85\r\n# heading",
    "surrogate": "caf\udce9\ud800",
    "template": "{{ 7 * 7 }}{% raw %}",
    "markdown": "[click](javascript:alert(1)) **b** `c` | d",
    "long": "Head" + "x" * 10_000 + "Tail",
    "long with spaces": "Head " + "x y " * 2_500 + "Tail",
}
INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029" + BIDI + "]")


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(crowded(tmp_path_factory.mktemp("captures") / "crowded")).to_json()


def named(analysis, name):
    """Returns the analysis with `name` for every name: capture, host, process, command, threads, methods, modules,
    files."""
    hostile = copy.deepcopy(analysis)
    capture = hostile["capture"]
    capture["name"] = capture["host"]["name"] = capture["target"]["name"] = name
    capture["host"]["os"] = capture["target"]["runtime"] = name
    capture["target"]["command"] = [name, name]
    capture["refused"] = [{"stream": name, "wanted": name, "why": name, "how": name}]
    hostile["verdict"]["reasons"] = [f"It was in {name}."]
    hostile["cpu_methods"] = [method_row(name)]
    hostile["antagonists"] = [
        {"group": "own-other", "pid": 1, "process": name, "core_ms": 1.0, "share": 1.0, "threads": 1}
        | {"top_threads": [{"tid": 1, "name": name, "core_ms": 1.0}]}
    ]
    hostile["activities"] = activities(name)
    for row in hostile["blame"]:
        if row["stacks"]:
            row["method"] = name
            row["stacks"][0]["frames"][0] = name
    return hostile


def activities(name):
    took = {"mean": 1.0, "p50": 1.0, "p90": 1.0, "p99": 1.0, "max": 1.0, "at_least": []}
    parts = dict.fromkeys(("queued", "cpu", "blocked", "ready", "runtime", "unseen", "services", "other"), 0.125)
    longest = {"activity": 0, "start_s": 1.0, "duration_ms": 1.0, "open": False, "trace_id": name}
    counts = {"count": 1, "open": 0, "carried": 0}
    kind = {"source": name, "operation": name, **counts, "duration_ms": took, "parts_ms": parts, "wait_ms": None}
    return {**counts, "kinds": [{**kind, "longest": longest}], "kinds_left_out": 0}


def method_row(name):
    row = {"method": name, "module": name, "kind": "managed", "user": True, "file": name, "line": 1}
    counts = {"self": 1, "total": 1, "workers": 1, "waiting": 1, "self_share": 1.0, "total_share": 1.0}
    return row | counts | {"line_is": "executed", "workers_share": 1.0}


@pytest.mark.parametrize("kind", NAMES)
def test_a_hostile_name_is_text_wherever_it_stands(analysis, kind):
    name = NAMES[kind]
    hostile = named(analysis, name)
    html = render(hostile)
    html.encode("utf-8")
    page = Page(html)
    names = {tag for tag, _ in page.tags}
    assert not names & {"img", "iframe", "object", "embed"}
    assert not any(a.startswith("on") for _, attributes in page.tags for a in attributes)
    assert not INVISIBLE.search(page.text)
    for _, attributes in page.tags:
        assert not INVISIBLE.search("".join(v or "" for v in attributes.values()))
    assert page.data["data-analysis"] == hostile, "the whole name is in analysis.json"
    assert not INVISIBLE.search(json.dumps(page.data["data-figures"], ensure_ascii=False))
    assert not re.search(r"<(?!/?(b|br|i|extra)>)", json.dumps(page.data["data-figures"]))
    title = re.search(r"<title>(.*?)</title>", html, re.DOTALL)[1]
    assert title.endswith("- Poolscope") and "<" not in title and not INVISIBLE.search(title)
    assert "49" not in title


@pytest.mark.parametrize("kind", NAMES)
def test_a_hostile_name_is_text_in_markdown(analysis, kind):
    text = to_markdown(named(analysis, NAMES[kind]))
    text.encode("utf-8")
    assert not INVISIBLE.search(text) and "<" not in text
    assert not re.search(r"(?<!\\)\[", text), "no link"
    assert not [line for line in text.splitlines() if line.startswith("#")], "no heading of its own"
    assert cells(text) == cells(to_markdown(named(analysis, "App.Plain"))), "no cell of its own"


def cells(text):
    """Returns the number of bars in each row of each table."""
    return [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("kind", ["long", "long with spaces"])
def test_a_long_name_loses_its_middle_and_the_page_does_not_grow_with_it(analysis, kind):
    page = Page(render(named(analysis, NAMES[kind])))
    assert "\N{HORIZONTAL ELLIPSIS}" in page.text and "Head" in page.text and "Tail" in page.text
    assert "x" * NAME_LENGTH not in page.text and "x y " * 500 not in page.text


def test_shortened():
    assert shortened("a" * NAME_LENGTH) == "a" * NAME_LENGTH
    assert shortened(f"in {'a' * 500}z for 3 s") == f"in {'a' * 99}\N{HORIZONTAL ELLIPSIS}{'a' * 98}z for 3 s"
    assert len(shortened("ab " * 5_000)) <= TEXT_LENGTH
    assert visible("\u202e" * 3) == "\\u202e" * 3


def test_marks_mean_nothing_in_markdown():
    assert markdown("# a") == "\\# a" and markdown("- a") == "\\- a" and markdown("1. a") == "1\\. a"
    assert markdown("[a](b)") == "\\[a\\](b)" and markdown("f(x) + 1") == "f(x) + 1"
    assert plotly_text("<a href='x'>") == "&lt;a href='x'&gt;"


@pytest.mark.parametrize("kind", NAMES)
def test_redaction_takes_a_hostile_name_for_a_name(analysis, kind):
    name = NAMES[kind]
    redacted = redact(named(analysis, name))
    assert name not in json.dumps(redacted, ensure_ascii=False)
    assert redacted["capture"]["host"]["name"] == redacted["capture"]["target"]["name"]
    assert "word" not in redacted["verdict"]["reasons"][0], "found in the sentence as a whole"
    render(redacted).encode("utf-8")


def test_the_command_prints_a_hostile_verdict_as_text(tmp_path, monkeypatch):
    folder = tmp_path / "caf\udce9\u202e"
    crowded(folder)
    monkeypatch.chdir(tmp_path)
    for verb in (["report", str(folder), "-o", str(tmp_path / "page.html")], ["attribute", str(folder)]):
        said = CliRunner().invoke(poolscope, verb)
        assert said.exit_code == 0, said.output
        said.stdout_bytes.decode("utf-8")
    assert "\\udce9\\u202e" in Page((tmp_path / "page.html").read_text("utf-8")).text
