"""Firefox, driven over its own remote protocol Marionette: JSON over a socket, so no library is needed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS = 90
ANSWER_SECONDS = 60
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "ui.prefersReducedMotion": 1,
    "layout.css.prefers-color-scheme.content-override": 1,  # light
}


def firefox() -> str | None:
    """Returns the path of Firefox or None. Debian names it firefox-esr, other distributions firefox."""
    return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


class Firefox:
    """One Firefox with one window. `run` evaluates code in the page; `console` returns Firefox's complaints."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        profile = Path(self._folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join([*lines, f'user_pref("marionette.port", {port});']))
        command = [firefox(), "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        command += ["--profile", str(profile)]
        env = {**os.environ, "HOME": str(profile), "MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "900"}
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, env=env, stdin=quiet, stdout=quiet, stderr=quiet)
        self._socket, self._number = self._connected(port), 0
        self._received = b""
        self._message()  # Firefox's greeting
        self._ask("WebDriver:NewSession", {})

    def _connected(self, port):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            assert self._process.poll() is None, "Firefox ended as it started"
            try:
                return socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS)
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"Firefox did not answer within {START_SECONDS} s")

    def _message(self):
        """Reads the next message: its length in digits, a colon, and that many bytes of JSON."""
        while b":" not in self._received:
            self._received += self._more()
        digits, _, self._received = self._received.partition(b":")
        while len(self._received) < int(digits):
            self._received += self._more()
        text, self._received = self._received[: int(digits)], self._received[int(digits) :]
        return json.loads(text)

    def _more(self):
        some = self._socket.recv(1 << 16)
        assert some, "Firefox closed the connection"
        return some

    def _ask(self, command, parameters):
        self._number += 1
        text = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(str(len(text)).encode() + b":" + text)
        _, number, error, value = self._message()
        assert number == self._number and error is None, f"{command}: {error}"
        return value

    def open(self, page):
        self._ask("WebDriver:Navigate", {"url": Path(page).as_uri()})

    def run(self, code, *arguments):
        """Runs a JavaScript function in the page and returns its result."""
        script = f"return ({code})(...arguments)"
        return self._ask("WebDriver:ExecuteScript", {"script": script, "args": arguments, "sandbox": None})["value"]

    def until(self, code):
        """Waits until a JavaScript function returns a truthy value."""
        end = time.monotonic() + ANSWER_SECONDS
        while not self.run(code):
            assert time.monotonic() < end, f"not within {ANSWER_SECONDS} s: {code}"
            time.sleep(0.05)

    def click(self, selector):
        element = self._ask("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        self._ask("WebDriver:ElementClick", {"id": next(iter(element.values()))})

    def console(self):
        """Returns the messages that the pages caused: script errors, and requests that a policy blocked."""
        self._ask("Marionette:SetContext", {"value": "chrome"})
        said = self._ask(
            "WebDriver:ExecuteScript",
            {
                "script": """return Services.console.getMessageArray()
                  .filter((m) => m instanceof Ci.nsIScriptError && m.sourceName.startsWith("file:"))
                  .map((m) => m.errorMessage)""",
                "args": [],
            },
        )["value"]
        self._ask("Marionette:SetContext", {"value": "content"})
        return said

    def close(self):
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
