"""Secrets in every place of a capture that can hold one, searched for in everything that every verb prints and
writes."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import re
import shlex
import urllib.parse
import zipfile
import zlib
from pathlib import Path

import pytest
from planted import SECRET, Secrets, found_in, plant
from poolscope.__main__ import run
from poolscope.base.errors import ExitCode
from poolscope.cli.command import VERBS
from poolscope.export import FORMATS
from readings import readings

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "traces" / "golden"
PROGRAM = re.compile(rb"<script>.*?</script>", re.DOTALL)
"""The page's own scripts and plotly's: the same in every page."""

CONDITIONS = ("low", "incidents>0", "verdict:healthy", "wait.p99>1ms", "finding:lock-convoy")
GATE = [word for condition in CONDITIONS for word in ("--fail-on", condition)]
STACK_VIEWS = [
    ["export", "CAPTURE", "--to", form.name, "--view", view] for form in FORMATS.values() for view in form.views
]
COMMANDS = [
    ["report", "CAPTURE"],
    ["report", "CAPTURE", "-o", "page.html", "--late", "5ms"],
    ["report", "CAPTURE", "--json"],
    ["attribute", "CAPTURE", "-o", "analysis.json"],
    ["attribute", "CAPTURE", "--json"],
    ["whatif", "CAPTURE", "-o", "rows.json"],
    ["whatif", "CAPTURE", "--min-threads", "2..4", "--json"],
    ["whatif", "CAPTURE", "--target-p99", "100ms"],
    ["check", "CAPTURE", "-o", "junit.xml", *GATE],
    ["check", "CAPTURE", "--json", *GATE],
    ["compare", "CAPTURE", "--", "OTHER", "-o", "compare.html"],
    ["compare", "--json", "CAPTURE", "--", "OTHER"],
    ["fleet", "CAPTURE", "OTHER", "--workers", "1", "--no-cache", "-o", "fleet.html"],
    ["fleet", "--json", "CAPTURE", "OTHER", "--workers", "1", "--no-cache"],
    *STACK_VIEWS,
    *(["export", "CAPTURE", "--to", form.name] for form in FORMATS.values() if not form.views),
    ["export", "CAPTURE", "--to", "csv", "-o", "tables.zip", "--json"],
    ["record", "-p", "4711", "--duration", "1s", "--capture", "RECORDED"],
    ["record", "-p", "4711", "--json", "--capture", "RECORDED"],
    ["verify", "CAPTURE", "-o", "figures.json"],
    ["verify", "CAPTURE", "--json"],
]
COLLECTOR = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp -r {capture} "$2"
"""
"""A script in place of poolscope-collect."""
WITHOUT_NAMES = ("verify",)
"""Verbs that print only numbers, and so have no --redact."""
NAMELESS = {"whatif", *WITHOUT_NAMES}
"""Verbs whose files hold no name even without --redact."""


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """Returns two captures whose names are secrets, below a folder whose name is one, and the secrets."""
    secrets = Secrets()
    home = tmp_path_factory.mktemp("planted") / secrets.word("folder")
    home.mkdir()
    made = []
    for golden in ("sync-over-async", "core-contention"):
        made.append(home / f"{secrets.word('folder')}-20260102")
        plant(GOLDEN / f"{golden}.zip", made[-1], secrets)
    return made, secrets


def said(words, captures, folder, capsys):
    """Returns the bytes that one command line prints and writes, by name; it includes the names of the files."""
    places = {"CAPTURE": str(captures[0]), "OTHER": str(captures[1]), "RECORDED": str(folder.parent / "recorded")}
    collector = folder.parent / "collector"
    collector.write_text(COLLECTOR.format(capture=shlex.quote(places["CAPTURE"])))
    collector.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POOLSCOPE_COLLECT", str(collector))
        code = run([places.get(word, word) for word in words])
    assert code in (ExitCode.OK, ExitCode.FOUND), words
    told = capsys.readouterr()
    found = {"stdout": told.out.encode(), "stderr": told.err.encode()}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[f"the name {name}"] = name.encode()
        if path.is_file():
            found[name] = PROGRAM.sub(b"", path.read_bytes())
    return found


def leaks(outputs, secrets):
    """Returns the secrets found, by (output, way of reading, kind)."""
    found: dict = {}
    for name, data in outputs.items():
        for way, text in readings(data).items():
            for secret, kind in found_in(secrets, text).items():
                found.setdefault((name, way, kind), []).append(secret)
    return found


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Returns an empty folder in which the commands run."""
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("turn", [1, -1], ids=["sync-over-async", "core-contention"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_secret_leaves_by_any_verb(words, turn, captures, here, capsys):
    made, secrets = captures
    option = [] if words[0] in WITHOUT_NAMES else ["--redact"]
    outputs = said([words[0], *option, *words[1:]], made[::turn], here, capsys)
    assert len(outputs["stdout"]) > 50
    assert leaks(outputs, secrets) == {}


@pytest.mark.parametrize("words", [c for c in COMMANDS if c[0] not in NAMELESS], ids=" ".join)
def test_without_redaction_the_same_search_finds_secrets(words, captures, here, capsys):
    """Otherwise the test above would also pass if the captures held no secrets, or if the search found none."""
    made, secrets = captures
    outputs = said(words, made, here, capsys)
    found = leaks(outputs, secrets)
    files = {name for name in outputs if not name.startswith("the name ") and name not in ("stdout", "stderr")}
    # The descriptions of a table's columns contain no names, and many tables are only numbers.
    assert {name for name, _, _ in found} >= {name for name in files if not name.endswith((".csv", "capture.json"))}
    if words[:2] == ["attribute", "CAPTURE"]:
        kinds = {kind for _, _, kind in found}
        assert kinds >= {"folder", "host", "system", "kernel", "process", "argument", "environment", "executable"}
        assert kinds >= {"refusal", "method", "module", "name"}


def test_every_verb_is_among_the_commands_and_redacts_where_it_tells_names(capsys):
    assert {words[0] for words in COMMANDS} == set(VERBS)
    for verb in VERBS:
        assert run([verb, "--help"]) == 0
        assert ("--redact" in capsys.readouterr().out) == (verb not in WITHOUT_NAMES)


def zipped(data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/side.txt", data)
    return buffer.getvalue()


WRITTEN = {
    "as it is": lambda s: s.encode(),
    "in capitals": lambda s: s.upper().encode(),
    "for HTML": lambda s: html.escape(s).encode(),
    "for HTML, twice": lambda s: html.escape(html.escape(s)).encode(),
    "by HTML's numbers": lambda s: "".join(f"&#{ord(c)};" for c in s).encode(),
    "for a URL": lambda s: urllib.parse.quote(s, safe="").encode(),
    "by a URL's numbers": lambda s: "".join(f"%{c:02x}" for c in s.encode()).encode(),
    "as JSON": lambda s: json.dumps(s).encode(),
    "by JSON's numbers": lambda s: "".join(f"\\u{ord(c):04x}" for c in s).encode(),
    "as base64": lambda s: base64.b64encode(s.encode()),
    "as base64, one byte on": lambda s: base64.b64encode(b"x" + s.encode()),
    "as base64, two bytes on": lambda s: base64.urlsafe_b64encode(b"xy" + s.encode()).rstrip(b"="),
    "as base64, compressed": lambda s: base64.b64encode(zlib.compress(s.encode())),
    "in hexadecimal": lambda s: s.encode().hex().encode(),
    "as UTF-16": lambda s: s.encode("utf-16-le"),
    "in gzip": lambda s: gzip.compress(s.encode()),
    "in a zip": lambda s: zipped(s.encode()),
    "in a zip in a zip": lambda s: zipped(zipped(s.encode())),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_the_search_reads_what_is_written_in_another_way(how):
    secrets = Secrets()
    text = f'<a href="{secrets.endpoint("endpoint")}">{secrets.marked("mark")} {secrets.path("path")}</a>'
    data = {"stdout": WRITTEN[how](text)}
    assert {secret for found in leaks(data, secrets).values() for secret in found} == set(secrets.told)


def test_secrets_are_no_words_of_the_tool_s_own():
    """So a find comes from the capture, and no rule of redaction keeps the word as one of the tool's."""
    sources = [
        *(ROOT / "analysis" / "poolscope").rglob("*.*"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "traces" / "schema.json",
    ]
    texts = [
        path.read_text("utf-8") for path in sources if path.suffix in (".py", ".html", ".js", ".txt", ".md", ".json")
    ]
    assert len(texts) > 200
    assert [word for text in texts for word in SECRET.findall(text.lower()) if not word.isdigit()] == []
