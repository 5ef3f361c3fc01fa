"""Makes and measures the report of a capture, in a separate module so that another process can import it."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.report import render

from . import large_capture


def made(folder: str, output: str) -> dict[str, Any]:
    """Analyses and renders the capture in `folder` twice. Runs in its own process, whose peak memory is then that of
    these runs."""
    # A small capture first, like an earlier report: Python caches the code that it compiles at the first use.
    with tempfile.TemporaryDirectory() as small:
        large_capture.make(Path(small) / "capture", items=2_000)
        analyse(open_capture(Path(small) / "capture"))
    start, used = time.monotonic(), time.process_time()
    analysis = analyse(open_capture(Path(folder)))
    content = analysis.to_json()
    analysed, used = time.monotonic(), time.process_time() - used
    page = render(content).encode()
    rendered = time.monotonic()
    # From the start, because a computed object may remember what a second computation would get differently.
    again = render(analyse(open_capture(Path(folder))).to_json()).encode()
    Path(output).parent.mkdir(exist_ok=True)
    Path(output).write_bytes(page)
    return {
        "analyse_s": round(analysed - start, 2),
        "analyse_cpu_s": round(used, 2),
        "render_s": round(rendered - analysed, 2),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "page_bytes": len(page),
        "same_bytes": page == again,
        "verdict": content["verdict"]["id"],
        "json_bytes": {name: len(json.dumps(part)) for name, part in content.items()},
    }
