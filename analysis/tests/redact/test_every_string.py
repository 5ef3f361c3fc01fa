"""Every string of real captures, searched for in all that a redacted command writes."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.capture import load_schema, open_capture
from poolscope.naming import written as as_written
from poolscope.redact import names
from poolscope.redact.redact import lexicon
from test_redact import GOLDEN, secret_capture, strings

SHORTEST = 4
"""Letters of a word that is searched for alone: shorter words occur by chance."""
WORD = re.compile(r"\w+")


def originals(capture, folder):
    """Returns every string of the manifest, of every table, and of the capture's path."""
    found = {capture.path.name, str(folder), *strings(capture.manifest)}
    for schema in load_schema().tables.values():
        for column in (c.name for c in schema.columns if c.type == "string"):
            if capture.has(schema.name):
                found |= {str(value) for value in capture.table(schema.name)[column].unique()}
    return {text for text in found if text}


def is_public(text):
    """Returns whether a policy keeps this name, or it consists of the tool's own words."""
    policies: list[Callable[..., str]] = [names.method, names.module, names.file, names.process, names.thread]
    policies += [names.kernel, names.runtime, names.system, names.version, names.time]
    if any(policy(text, lambda kind, name: "") == text for policy in policies):
        return True
    return text in lexicon().whole or all(lexicon().knows(word) for word in text.split())


def secrets(capture, folder):
    """Returns the strings that must not be found: whole names, and each of their words that no public name has."""
    found = originals(capture, folder)
    public = {word for text in found if is_public(text) for word in WORD.findall(text)}
    # A public method may lose an argument; its remaining parts are public too.
    framework = (
        names.method(form, lambda kind, name: "")
        for text in found
        if text.startswith(names.FRAMEWORK)
        for form in (text, as_written(text))
    )
    public |= {word for text in framework for word in WORD.findall(text)}
    public |= {word for text in lexicon().whole for word in WORD.findall(text)}
    public |= {word.lower() for word in public}
    whole = {text for text in found if not is_public(text)}
    words = {word for text in whole for word in WORD.findall(text) if len(word) >= SHORTEST and not word.isdigit()}
    # The name of a native function stays if its module, a library of the runtime, is reported.
    natives = native_functions(capture)
    return {
        text
        for text in whole | {w for w in words if w.lower() not in public and w not in public}
        if text not in natives
    }


def native_functions(capture):
    if not capture.has("frames"):
        return set()
    frames = capture.table("frames")
    kept = [
        str(method)
        for method, module in zip(frames["method"], frames.get("module", frames["method"]), strict=True)
        if names.method(str(method), lambda kind, name: "", str(module)) == str(method)
    ]
    return {word for method in kept for word in WORD.findall(method)} | set(kept)


def programs(page):
    return set(re.findall(r"<script>.*?</script>", page, flags=re.DOTALL))


def written(folder, capture, capsys):
    """Returns all output and all files of the verbs with --redact, by command."""
    page, data, junit, rows = (folder / name for name in ("page.html", "data.json", "junit.xml", "rows.json"))
    commands = {
        "report": ["-o", page],
        "attribute": ["-o", data],
        "attribute --json": ["--json"],
        "whatif": ["-o", rows],
        "whatif --min-threads": ["--min-threads", "2..4", "--json"],
        "check": ["-o", junit, "--fail-on", "low"],
        "check --json": ["--json", "--fail-on", "verdict:healthy"],
    }
    said = {}
    for command, options in commands.items():
        run([command.split()[0], str(capture), "--redact", *map(str, options)])
        captured = capsys.readouterr()
        said[command] = captured.out.replace(str(page), "")  # the reader chose this path
        said[f"{command}, stderr"] = captured.err
    said |= {path.name: path.read_text("utf-8") for path in (page, data, junit, rows) if path.is_file()}
    return said


@pytest.fixture(scope="module")
def other_page(tmp_path_factory):
    """Returns the redacted page of an unrelated capture."""
    folder = tmp_path_factory.mktemp("other")
    page = folder / "page.html"
    run(["report", str(secret_capture(folder / "other").path), "--redact", "-o", str(page)])
    return page.read_text("utf-8")


@pytest.mark.parametrize("source", [*GOLDEN, "secret"], ids=lambda path: getattr(path, "stem", path))
def test_no_string_of_a_capture_is_in_anything_that_leaves(source, other_page, tmp_path, capsys):
    folder = tmp_path / "out"
    folder.mkdir()
    if source == "secret":
        path = secret_capture(tmp_path / "qzx-shop-20260102").path
    else:
        path = tmp_path / "qzx-shop-20260102.zip"
        shutil.copy(source, path)
    wanted = secrets(open_capture(path), tmp_path)
    assert len(wanted) >= 10, "a capture without names proves nothing"
    outputs = written(folder, path, capsys)
    assert json.loads(outputs["check --json"])["conditions"] and "<testsuite" in outputs["junit.xml"]
    # The page's scripts do not depend on the capture, so they contain nothing of it.
    for program in programs(outputs["page.html"]):
        assert program in other_page
        outputs["page.html"] = outputs["page.html"].replace(program, "")
    pattern = re.compile(
        r"(?<!\w)(" + "|".join(re.escape(w) for w in sorted(wanted, key=len, reverse=True)) + r")(?!\w)"
    )
    for command, text in outputs.items():
        left = {found[0] for found in pattern.finditer(text)}
        assert left == set(), command
