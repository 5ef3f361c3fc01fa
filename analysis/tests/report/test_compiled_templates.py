"""Compiled templates in the cache folder: used if they are this user's own, and never needed."""

import os
import sys

import pytest
from jinja2 import DictLoader
from poolscope.html import page


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POOLSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _rendered(compiled):
    """Renders a template in a new environment, and records in `compiled` whether Jinja compiled it."""
    environment = page.environment.__wrapped__()
    environment.loader = DictLoader({"greeting": "Hello {{ name }}"})
    parse = environment._parse
    vars(environment)["_parse"] = lambda *given: (compiled.append(given[1]), parse(*given))[1]
    return environment.get_template("greeting").render(name="<you>")


def _entries(cache):
    return [path for path in (cache / "templates").rglob("*") if path.is_file()]


def test_a_template_is_compiled_once(cache):
    compiled: list[str] = []
    assert [_rendered(compiled) for _ in range(3)] == ["Hello &lt;you&gt;"] * 3
    assert compiled == ["greeting"]
    (entry,) = _entries(cache)
    assert entry.stat().st_mode & 0o777 == 0o600


def test_a_damaged_entry_is_compiled_again(cache):
    compiled: list[str] = []
    _rendered(compiled)
    (entry,) = _entries(cache)
    for damage in (b"", entry.read_bytes()[:-9], b"no bytecode"):
        entry.write_bytes(damage)
        assert _rendered(compiled) == "Hello &lt;you&gt;"
    assert compiled == ["greeting"] * 4


@pytest.mark.skipif(sys.platform == "win32", reason="modes and owners of POSIX")
def test_an_entry_that_others_may_write_is_not_run(cache):
    compiled: list[str] = []
    _rendered(compiled)
    (entry,) = _entries(cache)
    entry.chmod(0o666)
    _rendered(compiled)
    assert compiled == ["greeting"] * 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone can give a file away")
def test_an_entry_of_another_user_is_not_run(cache):
    compiled: list[str] = []
    _rendered(compiled)
    (entry,) = _entries(cache)
    os.chown(entry, 65534, 65534)
    _rendered(compiled)
    assert compiled == ["greeting"] * 2


def test_a_folder_that_cannot_be_written_is_no_failure(cache):
    cache.write_text("a file where the folder should be")
    compiled: list[str] = []
    assert [_rendered(compiled) for _ in range(2)] == ["Hello &lt;you&gt;"] * 2
    assert compiled == ["greeting"] * 2
