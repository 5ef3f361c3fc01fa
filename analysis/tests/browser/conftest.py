"""Reports of the golden captures, opened in a real Chromium."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import browser as parts
import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.report import render

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
DRIVER = Path(__file__).with_name("driver.mjs")
ANSWER_SECONDS = 60


SAVE = """async () => {
  let made, name;
  const whole = URL.createObjectURL;
  URL.createObjectURL = (blob) => { made = blob; return whole.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () { name = this.download; };
  document.getElementById("save").click();
  return { name, text: await made.text() };
}"""


class Browser:
    """One Chromium. `open` gives it a new page; all other methods act on that page."""

    def __init__(self):
        env = {
            **os.environ,
            "POOLSCOPE_NODE_MODULES": str(parts.MODULES),
            "POOLSCOPE_CHROMIUM": parts.chromium(),
        }
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(["node", str(DRIVER)], stdin=pipe, stdout=pipe, env=env, text=True)

    def save(self):
        """Presses the page's save button; returns the name of the file and its parsed JSON."""
        saved = self.run(SAVE)
        return saved["name"], json.loads(saved["text"])

    def ask(self, what, **arguments):
        self.process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
        self.process.stdin.flush()
        watchdog = threading.Timer(ANSWER_SECONDS, self.process.kill)
        watchdog.start()
        try:
            line = self.process.stdout.readline()
        finally:
            watchdog.cancel()
        assert line, f"the browser ended, or gave no answer to {what} within {ANSWER_SECONDS} s"
        answer = json.loads(line)
        assert "error" not in answer, f"{what}: {answer['error']}"
        return answer["value"]

    def open(self, file, **options):
        return self.ask("open", file=str(file), **options)

    def run(self, code, argument=None):
        """Runs a JavaScript function in the page and returns its result."""
        return self.ask("run", code=code, argument=argument)

    def until(self, code):
        """Waits until a JavaScript function returns a truthy value."""
        self.ask("until", code=code)

    def click(self, selector):
        self.ask("click", selector=selector)

    def press(self, *keys):
        self.ask("press", keys=keys)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def chrome():
    lacks = parts.missing()
    if lacks:
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say(f"no browser to test with: {', '.join(lacks)} missing; ./build.sh setup gets them")
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Returns the report of every golden capture by its name."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for capture in sorted(GOLDEN.glob("*.zip")):
        made[capture.stem] = folder / f"{capture.stem}.html"
        made[capture.stem].write_text(render(analyse(open_capture(capture)).to_json()), "utf-8")
    return made


@pytest.fixture(scope="session")
def page(pages):
    """Returns the page for tests that do not depend on the verdict: it has every section, and fixes with
    predictions."""
    return pages["blocked-at-cap"]
