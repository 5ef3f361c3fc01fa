"""Redaction: no customer name leaves by any output, public names and all numbers stay, and the result is repeatable."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from poolscope.capture import open_capture
from poolscope.cli.command import poolscope
from poolscope.product import analyse
from poolscope.redact import names, redact
from poolscope.redact.redact import COLLECTOR_WORDS, lexicon
from poolscope.report import render
from poolscope.report.rendering import to_markdown
from synthetic import MS, sleepers

ROOT = Path(__file__).parents[3]
GOLDEN = sorted((ROOT / "traces" / "golden").glob("*.zip"))
MARK = "qzx"
"""Part of every planted secret, and of no other text."""


def secret_capture(folder):
    """Builds ten items of 300 ms on one thread, in a process whose names are all secrets."""
    builder = sleepers(folder, count=10, gap=MS, sleep=300 * MS, threads=lambda t: 2, limits=(2, 2))
    host, target = builder.manifest["host"], builder.manifest["target"]
    host |= {"name": "db01-qzxhost", "os": "QzxOS 12 (acme)", "kernel": "6.1.0-qzxcorp+"}
    target |= {"name": "qzx.Shop", "runtime": ".NET 10.0.12"}
    target["command"] = ["/home/alice-qzx/srv/qzx shop/app", "--password", "hunter2-qzx", "--for=Qzx Ltd"]
    builder.manifest["refused"] = [
        {
            "stream": "sched",
            "wanted": "tracepoint",
            "why": "/home/alice-qzx/srv cannot be read by qzxuser",
            "how": "Run as root",
        }
    ]
    target["own"] = {"entry": "Qzx.Shop", "assemblies": ["Qzx.Shop", "Qzx.Core"]}
    frames = [
        "System.Threading.Monitor.Enter",
        "Qzxlib.Store.Client.Get",
        "Qzx.Acme.Orders`1[System.String].Place(int32)",
        "System.Collections.Generic.Dictionary`2[Qzx.Customer,System.__Canon].Get",
    ]
    modules = ["System.Private.CoreLib.dll", "Qzxlib.Store.dll", "Qzx.Shop.dll", "System.Private.CoreLib.dll"]
    builder.rows["frames"] = [
        {"method": name, "module": module, "resolved": 1} for name, module in zip(frames, modules, strict=True)
    ]
    builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": 3 - i} for i in range(4)]
    workers = sorted({row["worker_tid"] for row in builder.rows["work_items"]})
    times = range(100 * MS, 1500 * MS, 100 * MS)
    builder.rows["snapshots"] = [{"time": time, "tid": tid, "stack": 3} for time in times for tid in workers]
    return builder.write()


@pytest.fixture(scope="module")
def secret(tmp_path_factory):
    return analyse(secret_capture(tmp_path_factory.mktemp("captures") / "qzx-shop-20260102")).to_json()


def doors(analysis):
    """Returns every output: the page (with its title, charts and data), the Markdown, the JSON."""
    # The page's scripts are the same in every report, and contain words of their own.
    page = re.sub(r"<script>.*?</script>", "", render(analysis), flags=re.DOTALL)
    return {"page": page, "markdown": to_markdown(analysis), "json": json.dumps(analysis)}


def strings(value):
    if isinstance(value, dict):
        return [*value, *(s for v in value.values() for s in strings(v))]
    if isinstance(value, list):
        return [s for v in value for s in strings(v)]
    return [value] if isinstance(value, str) else []


def test_the_planted_secrets_are_in_the_report_and_not_in_the_redacted_one(secret):
    # Otherwise the other tests would also pass with a capture that holds no secrets.
    assert {name for name, text in doors(secret).items() if MARK in text.lower()} == {"page", "markdown", "json"}
    assert any(MARK in line.lower() for finding in secret["findings"] for line in strings(finding)), "in a sentence too"
    redacted = redact(secret)
    for door, text in doors(redacted).items():
        assert MARK not in text.lower(), door
        assert not re.search(r"alice|hunter2|password|acme|Shop|corp", text), door


def test_what_stays_and_what_tokens_look_like(secret):
    redacted = redact(secret)
    capture = redacted["capture"]
    assert (capture["host"]["name"], capture["name"], capture["target"]["name"]) == ("host-1", "capture-1", "process-1")
    assert capture["target"]["command"] == ["path-1", "argument-1", "argument-2", "argument-3"]
    assert (capture["host"]["kernel"], capture["target"]["runtime"]) == ("6.1.0", ".NET 10.0.12")
    assert capture["start_utc"] == secret["capture"]["start_utc"]
    stack = redacted["blame"][0]["stacks"][0]["frames"]
    assert stack[0] == "System.Threading.Monitor.Enter"
    own = redacted["blame"][0]["method"]
    assert stack[2] == own and stack[1] != own, "the library's method is a name of its own"
    assert stack[1].startswith("method-") and own.startswith("method-")
    assert stack[3] == "System.Collections.Generic.Dictionary<type-1,T2>.Get"
    assert any(own in line for finding in redacted["findings"] for line in strings(finding))
    assert redacted["redacted"]["argument"] == 3


def test_numbers_are_untouched(secret):
    def numbers(value):
        if isinstance(value, dict):
            return [n for v in value.values() for n in numbers(v)]
        if isinstance(value, list):
            return [n for v in value for n in numbers(v)]
        return [] if isinstance(value, str) else [value]

    redacted = redact(secret)
    del redacted["redacted"]
    assert numbers(redacted) == numbers(secret)


def test_the_page_says_what_was_redacted(secret):
    page = render(redact(secret))
    assert "This report is redacted" in page and "3 arguments" in page and "Still visible" in page
    assert "This report is redacted" not in render(secret)
    assert "Redacted" in to_markdown(redact(secret)) and "Redacted" not in to_markdown(secret)


def test_no_string_of_an_analysis_is_an_open_door(secret):
    """A text that is not the tool's own does not pass in any place; neither as a value nor as a key of a dict."""

    def planted(value):
        if isinstance(value, dict):
            return {k: planted(v) for k, v in value.items()} | {"qzx.Name": [f"{MARK} Name.{MARK}", {"deeper": MARK}]}
        if isinstance(value, list):
            return [planted(v) for v in value]
        return f"{value} System.{MARK}() {MARK}: Ünï-{MARK}\n{MARK}" if isinstance(value, str) else value

    everywhere = planted(copy.deepcopy(secret))
    assert json.dumps(everywhere).count(MARK) > 500
    left = [s for s in strings(redact(everywhere)) if MARK in s.replace(f"System.{MARK}", "")]
    assert left == []


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_no_name_of_a_real_capture_survives_and_its_sentences_can_be_read(golden):
    analysis = analyse(open_capture(golden)).to_json()
    redacted = redact(analysis)
    flame = analysis["cpu_flame"] or {"frames": []}
    rows: list[Any] = [*flame["frames"], *(analysis["cpu_methods"] or []), *(analysis["blame"] or [])]
    told = {row["method"] for row in rows if row["method"] and not row["method"].startswith(("System.", "Microsoft."))}
    told -= {r["method"] for r in rows if r.get("kind") == "native" and (r["module"] or "").startswith(("lib", "ld-"))}
    told |= {f for row in analysis["blame"] or [] for s in row["stacks"] for f in s["frames"] if f and "Poolscope" in f}
    told |= {row["file"] for row in analysis["cpu_methods"] or [] if row["file"]}
    told |= {t["name"] for row in analysis["antagonists"] or [] for t in row["top_threads"] if "NET " not in t["name"]}
    told |= {
        *analysis["capture"]["target"]["command"],
        analysis["capture"]["host"]["name"],
        analysis["capture"]["name"],
    }
    told -= {"Interop+Sys.Dup", "poolscope-colle", "bash"}
    told = {n for n in told if not (n in lexicon().words or n.isdecimal() or names._KWORKER.fullmatch(n))}
    told = {n for n in told if names.process(n, lambda kind, name: "") == ""}
    told -= {n for n in told if n.startswith("Interop+")}
    assert len(told) >= 3
    for door, text in doors(redacted).items():
        left = [n for n in told if n in text and re.search(rf"(?<![\w.+-]){re.escape(n)}(?![\w+-])", text)]
        assert left == [], door
    # Redaction took no text of the tool's own for a name.
    for key in ("verdict", "findings", "rules", "what_if", "timeline"):
        assert not [s for s in strings(redacted[key]) if re.search(r"\bword-\d", s)]
    assert redacted["verdict"]["id"] == analysis["verdict"]["id"]


def test_a_capture_that_is_named_after_a_rule_keeps_its_verdict(secret):
    named = copy.deepcopy(secret)
    named["capture"]["name"] = named["capture"]["target"]["name"] = named["verdict"]["id"]
    redacted = redact(named)
    assert redacted["verdict"]["id"] == secret["verdict"]["id"] and redacted["capture"]["name"] == "capture-1"
    assert [rule["id"] for rule in redacted["rules"]] == [rule["id"] for rule in secret["rules"]]


def test_a_key_says_by_its_last_word_what_it_names():
    redacted = redact({"worst_items": [{"enqueue_thread": "Order intake"}, {"enqueue_thread": ".NET TP Worker"}]})
    assert [name for row in redacted["worst_items"] for name in row.values()] == ["thread-1", ".NET TP Worker"]


def test_the_longest_name_goes_first_and_words_are_not_cut():
    analysis = {
        "methods": ["Acme.Run", "Acme.Run.Fast"],
        "process": "Acme",
        "text": "Acme.Run.Fast, Acme.Run and Acme; the pool was in Acme.Run.",
    }
    assert redact(analysis)["text"] == "method-2, method-1 and process-1; the pool was in method-1."


def test_a_name_that_is_a_plain_word_or_a_number_does_not_spoil_sentences():
    analysis = {"process": "threads", "thread": "100", "text": "100 threads were blocked."}
    redacted = redact(analysis)
    assert (redacted["process"], redacted["thread"]) == ("process-1", "thread-1")
    assert redacted["text"] == "100 threads were blocked."


def test_a_setting_that_the_tool_advises_stays_and_no_other():
    known = "DOTNET_ThreadPool_ForceMinWorkerThreads"
    text = f"{known}=1F DOTNET_Acme=1F {known}=acme"
    assert redact({"text": text})["text"] == f"{known}=1F word-1 word-2"


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("System.Threading.Monitor.Enter", "System.Threading.Monitor.Enter"),
        ("System.Net.Http.HttpConnectionPool+<SendAsync>d__52.MoveNext", None),
        ("System.Linq.Enumerable.ToList<Acme.Order>", "System.Linq.Enumerable.ToList<type>"),
        ("System.Func`2[Order,System.Int32].Invoke(class Acme.X, int32)", "System.Func`2[type,System.Int32].Invoke(class type, int32)"),
        ("System.Lazy<Acme.Order>.CreateValue (lambda)", "System.Lazy<type>.CreateValue (lambda)"),
        ("System.Text.Rune (static constructor)", None),
        ("System.Func<Cache<T>.Inner>.Invoke", "System.Func<type<T>type>.Invoke"),
        ("System.Box<Int32,Orders.<Get>d__3>.MoveNext", "System.Box<Int32,type<type>d__3>.MoveNext"),
        ("SystemOfMine.Run", "method"),
        ("Acme.System.Run", "method"),
    ],
)  # fmt: skip
def test_methods(name, stays):
    assert names.method(name, lambda kind, _: kind) == (stays or name)


def test_same_bytes_whatever_the_order_of_sets(tmp_path):
    """Two processes with different hash seeds of Python write the same bytes: page, redacted page and JSON."""
    path = secret_capture(tmp_path / "qzx-shop").path
    program = (
        "import sys, hashlib\nfrom poolscope.capture import open_capture\nfrom poolscope.product import analyse, dumps\n"
        "from poolscope.redact import redact\nfrom poolscope.report import render\n"
        "a = analyse(open_capture(__import__('pathlib').Path(sys.argv[1]))).to_json()\n"
        "for text in (render(a), render(redact(a)), dumps(redact(a))): print(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program, str(path)],
            cwd=ROOT / "analysis",
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "analysis")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] and len(set(said[0].split())) == 3


def test_command_line(tmp_path, monkeypatch):
    path = secret_capture(tmp_path / "qzx-shop").path
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    report = CliRunner().invoke(poolscope, ["report", str(path), "--redact"])
    assert report.exit_code == 0, report.output
    written = [page.name for page in Path.cwd().iterdir()]
    assert written == ["redacted-20260102T030405.html"], "the page's own name tells nothing either"
    assert MARK not in report.output.lower() and MARK not in Path(written[0]).read_text("utf-8").lower()
    wishes: list[list[str]] = [[], ["--json"]]
    for options in wishes:
        said = CliRunner().invoke(poolscope, ["attribute", str(path), "--redact", *options])
        assert said.exit_code == 0 and MARK not in said.output.lower()
    assert json.loads(said.output) == redact(analyse(open_capture(path)).to_json())


def test_the_collector_s_own_words_are_known():
    """The collector's own refusals stay readable in a redacted report."""
    known = set(COLLECTOR_WORDS.read_text("utf-8").split())
    sources = (ROOT / "collector" / "Poolscope.Collect" / "Recording").glob("*.cs")
    lines = [line for path in sources for line in path.read_text("utf-8").splitlines() if "new Refusal(" in line]
    said = {w for line in lines for text in re.findall(r'"([^"]*)"', line) for w in re.findall(r"[A-Za-z]+", text)}
    said -= {w for line in lines for field in re.findall(r"\{[^}]*\}", line) for w in re.findall(r"[A-Za-z]+", field)}
    assert len(said) > 20
    assert {w for w in said if w not in known and not lexicon().knows(w)} == set()
