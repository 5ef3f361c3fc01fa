"""`poolscope look` and the page of a dump; the collector is a script that says what a test wants."""

import json

import pytest

from poolscope.__main__ import run
from poolscope.base.errors import ExitCode
from poolscope.look.page import render

CORE = b"\x7fELF\2\1\1" + 9 * b"\0" + b"\4\0" + 100 * b"\0"


def seen(**changes):
    """What `poolscope-collect look --json` prints, as the collector's tests hold it."""
    group = {
        "count": 22,
        "method": "Shop.Orders.Get<T>",
        "entry": None,
        "waits": True,
        "call": "System.Threading.Tasks.Task.Wait",
        "frames": ["System.Threading.Tasks.Task.Wait", "Shop.Orders.Get<T>"],
    }
    threads = {"workers": 24, "inside": 24, "blocked": 22, "running": 2, "not_read": 0, "groups": [group], "others": []}
    return {
        "target": "/somewhere/core.4711",
        "runtime": "10.0.12",
        "pool": {"minimum": 8, "maximum": 24, "goal": None, "active": 24, "idle": 0, "about": False},
        "queue": {
            "length": 817,
            "about": False,
            "items": [{"method": "Shop.Mail.Send", "kind": "task", "count": 790}],
        },
        "threads": threads,
        "locks": [{"type": "Shop.Ledger", "owner": 7, "waiting": 3}],
        "timers": [],
        "moved": None,
        "verdict": {"id": "blocked-at-cap", "confidence": "medium", "why": "Because so.", "next": "Next: record."},
        "text": "24 of 24 threads are inside items.",
        **changes,
    }


@pytest.fixture
def collector(tmp_path, monkeypatch):
    """Makes a collector that prints this and ends with that code; it writes its arguments beside itself."""

    def make(prints, code=0):
        (tmp_path / "prints").write_text(prints)
        script = tmp_path / "poolscope-collect"
        script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/asked\ncat {tmp_path}/prints\nexit {code}\n')
        script.chmod(0o755)
        monkeypatch.setenv("POOLSCOPE_COLLECT", str(script))
        monkeypatch.chdir(tmp_path)

    return make


def test_a_look_is_the_collectors(collector, tmp_path):
    collector("")
    assert run(["look", "-p", "4711", "--json", "--dac", "x.so"]) == ExitCode.OK
    assert (tmp_path / "asked").read_text().split() == ["look", "--json", "--dac", "x.so", "-p", "4711"]
    assert run(["look", "-n", "app"]) == ExitCode.OK
    assert (tmp_path / "asked").read_text().split() == ["look", "-n", "app"]


@pytest.mark.parametrize("words", [[], ["-p", "1", "-n", "app"], ["-p", "1", "core"]])
def test_one_target_is_needed(words, capsys):
    assert run(["look", *words]) == ExitCode.USAGE
    assert "one of -p PID, -n NAME, or a dump" in capsys.readouterr().err


def test_what_the_collector_refuses_has_its_exit_code(collector, capsys):
    collector("", 3)
    assert run(["look", "-p", "4711"]) == ExitCode.UNREADABLE
    assert capsys.readouterr().err == "", "the collector has said why"


@pytest.mark.parametrize("name", ["core.4711", "crash.dmp", "capture.zip"])
def test_report_makes_a_page_of_a_dump_by_its_content(name, collector, tmp_path, capsys):
    collector(json.dumps(seen()))
    (tmp_path / name).write_bytes(CORE)
    assert run(["report", name, "-o", "page.html"]) == ExitCode.OK
    said = capsys.readouterr().out
    assert "verdict: blocked-at-cap (confidence: medium)" in said and "report: page.html" in said
    page = (tmp_path / "page.html").read_text()
    for part in ("790", "27", "Shop.Mail.Send", "Shop.Orders.Get&lt;T&gt;", "Shop.Ledger", "not known", "10.0.12"):
        assert part in page
    assert "/somewhere" not in page, "a page goes to a ticket"


def test_a_dump_that_tells_nothing_ends_as_a_capture_does(collector, tmp_path):
    verdict = {"id": "cannot-tell", "confidence": "low", "why": "?", "next": "Next: record."}
    collector(json.dumps(seen(verdict=verdict)))
    (tmp_path / "core").write_bytes(CORE)
    assert run(["report", "core"]) == ExitCode.INSUFFICIENT
    assert (tmp_path / "core.html").is_file()


def test_a_dump_cannot_be_redacted(collector, tmp_path, capsys):
    collector(json.dumps(seen()))
    (tmp_path / "core").write_bytes(CORE)
    assert run(["report", "core", "--redact"]) == ExitCode.USAGE
    assert "--redact" in capsys.readouterr().err and not (tmp_path / "core.html").exists()


def test_the_other_verbs_say_where_a_dump_can_be_read(tmp_path, capsys):
    (tmp_path / "core").write_bytes(CORE)
    assert run(["attribute", str(tmp_path / "core")]) == ExitCode.UNREADABLE
    assert "run: poolscope report" in capsys.readouterr().err


def test_names_in_a_dump_cannot_be_markup():
    hostile = {"method": "<script>alert(1)</script>", "kind": "task", "count": 1}
    page = render(seen(queue={"length": 1, "about": False, "items": [hostile]}))
    assert "<script>alert" not in page


def test_an_empty_pool_has_a_page():
    threads = {"workers": 0, "inside": 0, "blocked": 0, "running": 0, "not_read": None, "groups": [], "others": []}
    page = render(seen(queue={"length": 0, "about": False, "items": []}, threads=threads, locks=[]))
    assert "Nothing is queued." in page and "No stack could be read." in page
