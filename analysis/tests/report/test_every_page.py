"""Every page, from whichever command, has the frame with its policy and escapes its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from poolscope.html.page import content_security_policy, environment

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "analysis" / "poolscope", ROOT / "eval")
TEMPLATES = sorted(template for folder in FOLDERS for template in folder.rglob("templates/*.html"))
PAGES = [t for t in TEMPLATES if re.search(r"<html|<!doctype|\{%\s*extends", t.read_text("utf-8"), re.IGNORECASE)]


def test_there_is_one_frame_and_every_page_is_in_it():
    assert {p.name for p in PAGES} == {
        "layout.html",
        "page.html",
        "compare.html",
        "fleet.html",
        "look.html",
        "seeds.html",
    }
    for page in PAGES:
        text = page.read_text("utf-8")
        if page.name == "layout.html":
            head = text.partition("<title>")[0]
            assert 'http-equiv="Content-Security-Policy" content="{{ policy }}"' in head, "before anything else"
        else:
            assert text.lstrip().startswith('{% extends "layout.html" %}'), page.name


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: t.name)
def test_no_template_passes_text_on_as_markup(template):
    text = template.read_text("utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape\s+false|\bon\w+\s*=|javascript:", text)


def test_every_template_is_escaped():
    assert environment().from_string("{{ name }}").render(name="<b>") == "&lt;b&gt;"


def test_the_policy_allows_nothing_but_the_page_itself():
    policy = dict(part.strip().split(" ", 1) for part in content_security_policy(["a", "b"]).split(";"))
    assert policy.pop("default-src") == policy.pop("base-uri") == policy.pop("form-action") == "'none'"
    assert re.fullmatch(r"('sha256-[A-Za-z0-9+/]{43}=' ?){2}", policy.pop("script-src"))
    # Inline styles are allowed because plotly.js sets them. They cannot send data anywhere, because nothing can be
    # loaded.
    assert policy == {"style-src": "'unsafe-inline'", "img-src": "data: blob:"}
    assert "script-src 'none'" in content_security_policy([])
