"""The length of reports before anything is opened: `python3 -m report.length CAPTURE...`, with bench/ and eng/ on the
path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import browser
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.report import render

LENGTH = Path(__file__).with_name("length.mjs")
BROWSER_SECONDS = 300


def lengths(pages: list[Path]) -> list[dict[str, Any]]:
    """Returns for each page its screens at 1280x800 and 390x844, its sheets of A4, and the screen of its timeline."""
    env = {**os.environ, "POOLSCOPE_NODE_MODULES": str(browser.MODULES), "POOLSCOPE_CHROMIUM": str(browser.chromium())}
    command = ["node", str(LENGTH), *map(str, pages)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=BROWSER_SECONDS, check=False)
    if done.returncode != 0:
        raise SystemExit(f"report.length: the browser failed: {done.stderr.strip()}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def main() -> int:
    """Prints one row of a Markdown table for each capture."""
    lacks = browser.missing()
    if lacks:
        raise SystemExit(f"report.length: {', '.join(lacks)} missing; ./build.sh setup gets them")
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for number, name in enumerate(sys.argv[1:]):
            pages.append(Path(folder) / f"{number}.html")
            pages[-1].write_text(render(analyse(open_capture(Path(name))).to_json()), "utf-8")
        print(
            "| capture | screens 1280x800 | timeline begins on | screens 390x844 | A4 |\n| --- | --- | --- | --- | --- |"
        )
        for name, page in zip(sys.argv[1:], lengths(pages), strict=True):
            cells = [f"{page['wide']:.1f}", f"{page['timeline'] + 1:.1f}", f"{page['phone']:.1f}", str(page["sheets"])]
            print(f"| {Path(name).stem} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
