"""`poolscope look` and the page of a dump; the collector is a script that prints what a test needs."""

import json
import re
from pathlib import Path

import pytest

from poolscope.__main__ import run
from poolscope.base.errors import ExitCode
from poolscope.look.redacted import redact_look, short
from poolscope.look.shown import lines, render
from poolscope.redact.redact import lexicon

COLLECTOR = Path(__file__).parents[3] / "collector" / "Poolscope.Look"

CORE = b"\x7fELF\2\1\1" + 9 * b"\0" + b"\4\0" + 100 * b"\0"


def seen(**changes):
    """Returns the output of `poolscope look --json`, as the collector's tests have it."""
    group = {
        "count": 22,
        "method": "Shop.Orders.Get<T>",
        "place": "Orders.cs:41",
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
        "text": "24 of 24 threads are inside items; 22 block in Orders.Get (Orders.cs:41) on Task.Wait.",
        **changes,
    }


@pytest.fixture
def collector(tmp_path, monkeypatch):
    """Makes a collector that prints this text and ends with that code; it writes its arguments to a file beside
    itself."""

    def make(prints, code=0):
        (tmp_path / "prints").write_text(prints)
        script = tmp_path / "poolscope-collect"
        script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/asked\ncat {tmp_path}/prints\nexit {code}\n')
        script.chmod(0o755)
        monkeypatch.setenv("POOLSCOPE_COLLECT", str(script))
        monkeypatch.chdir(tmp_path)

    return make


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


SECRET = "QzxShop"


def secret():
    """Returns a look in which every non-public name contains one word."""
    own = f"{SECRET}.Orders.Get"
    group = {
        "count": 22,
        "method": own,
        "place": f"{SECRET}.cs:41",
        "entry": f"{SECRET}.Api.Handle (lambda)",
        "waits": True,
        "call": "System.Threading.Tasks.Task.Wait",
        "frames": ["System.Threading.Tasks.Task.Wait", own, f"System.Action<{SECRET}.Cart>.Invoke"],
    }
    other = {"os_id": 7, "method": f"{SECRET}.Loop.Run", "call": "System.Threading.Thread.Sleep", "frames": [own]}
    threads = {"workers": 24, "inside": 24, "blocked": 22, "running": 2, "not_read": 0}
    return seen(
        target=f"/home/{SECRET}/core.{SECRET}",
        threads={**threads, "groups": [group], "others": [other]},
        queue={
            "length": 817,
            "about": False,
            "items": [{"method": f"{SECRET}.Mail.Send (lambda)", "kind": "task", "count": 790}],
        },
        locks=[{"type": f"{SECRET}.Ledger", "owner": 7, "waiting": 3}],
        text=f"24 of 24 threads are inside items; 22 block in Orders.Get ({SECRET}.cs:41) on Task.Wait; 817 items are queued, "
        "790 of them Mail.Send (lambda); the minimum is 8, the maximum 24.",
        verdict={
            "id": "lock-convoy",
            "confidence": "medium",
            "why": f"Items wait because 20 of 22 blocked threads wait for one lock ({SECRET}.Ledger).",
            "next": "Next: record how long items wait, and why: poolscope record -p PID --duration 30s",
        },
    )


def test_a_redacted_look_keeps_its_sentences_and_public_names():
    look = redact_look(secret())
    assert SECRET not in json.dumps(look)
    method, place = (look["threads"]["groups"][0][name] for name in ("method", "place"))
    assert look["threads"]["groups"][0]["frames"][:2] == ["System.Threading.Tasks.Task.Wait", method]
    queued, held = look["queue"]["items"][0]["method"], look["locks"][0]["type"]
    assert look["text"] == (
        f"24 of 24 threads are inside items; 22 block in {method} ({place}) on Task.Wait; 817 items are queued, "
        f"790 of them {queued}; the minimum is 8, the maximum 24."
    )
    assert look["verdict"]["why"] == f"Items wait because 20 of 22 blocked threads wait for one lock ({held})."
    assert look["verdict"]["next"] == secret()["verdict"]["next"]


def test_the_words_of_a_look_are_known():
    """A redacted look stays readable; its keys must stay too, because the page reads them."""
    source = (COLLECTOR / "Judging" / "LookVerdict.cs").read_text("utf-8")
    texts = [
        re.sub(r"\{[^{}]*\}", " ", text)
        for text in re.findall(r'new LookVerdict\(.*?"((?:Items|No|The) [^"]*)"', source)
    ]
    said = {word for text in texts for word in re.findall(r"\b[a-z]{2,}", text)}
    assert len(said) > 20 and {word for word in said if not lexicon().knows(word)} == set()
    look, redacted = secret(), redact_look(secret())
    assert set(redacted) == {*look, "redacted"} and set(redacted["threads"]["others"][0]) == set(
        look["threads"]["others"][0]
    )


def test_report_of_a_dump_is_redacted(collector, tmp_path, capsys):
    collector(json.dumps(secret()))
    (tmp_path / f"core.{SECRET}").write_bytes(CORE)
    for _ in range(2):
        assert run(["report", f"core.{SECRET}", "--redact"]) == ExitCode.OK
    assert SECRET not in capsys.readouterr().out
    page = (tmp_path / "redacted.html").read_text()
    assert SECRET not in page and "This page is redacted" in page and "Task.Wait" in page


@pytest.mark.parametrize("words", [["core"], ["-p", "4711"]])
def test_a_look_on_the_terminal_is_redacted(words, collector, tmp_path, capsys):
    collector(json.dumps(secret()))
    assert run(["look", *words, "--redact"]) == ExitCode.OK
    said = capsys.readouterr().out
    assert (tmp_path / "asked").read_text().split() == ["look", "--json", *words]
    look = redact_look(secret())
    queued, held = look["queue"]["items"][0]["method"], look["locks"][0]["type"]
    assert SECRET not in said
    for part in (look["text"], f"   790    {queued} (task)", f"{held}: 3 wait", "lock-convoy (confidence: medium)"):
        assert part in said
    assert run(["look", *words, "--json", "--redact"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == look


def test_a_redacted_look_has_the_lines_of_the_collector_s():
    timers = [{"method": "Shop.Clock.Tick", "count": 2, "late_ms": 1500}]
    moved = {"seconds": 0.71, "ended": 3, "taken": True, "queue_before": 820, "queue_after": 817}
    said = list(lines(seen(timers=timers, moved=moved)))
    assert said[2:] == [
        "limits    minimum 8, maximum 24, goal not known, active 24, idle 0",
        "",
        "queued    what",
        "   790    Shop.Mail.Send (task)",
        "    27    others",
        "",
        "threads   inside",
        "    22    Shop.Orders.Get<T> (Orders.cs:41) waits in System.Threading.Tasks.Task.Wait",
        "lock      Shop.Ledger: 3 wait, thread 7 holds it",
        "timer     Shop.Clock.Tick: 2 should have fired, 1,500 ms ago at most",
        "",
        "Within 0.7 s 3 items ended; the queue went from 820 to 817.",
        "",
        "verdict: blocked-at-cap (confidence: medium)",
        "Because so.",
        "Next: record.",
    ]


@pytest.mark.parametrize(
    "method, shortened",
    [
        ("System.Threading.Tasks.Task.Wait", "Task.Wait"),
        ("System.Threading.Tasks.Task<System.Int32>.get_Result", "Task.Result"),
        ("Shop.Orders.Run (lambda)", "Orders.Run (lambda)"),
        ("Main", "Main"),
    ],
)
def test_names_are_shortened_as_the_collector_does(method, shortened):
    assert short(method) == shortened


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
