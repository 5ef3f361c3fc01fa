"""The report of a capture, made and measured; in a module of its own, so that another process can import it."""

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
    """Analyses and renders twice what is in `folder`; run in a process of its own, whose peak memory is then theirs."""
    # What Python compiles the first time, it keeps: a small capture first, as any earlier report would have been.
    with tempfile.TemporaryDirectory() as small:
        large_capture.make(Path(small) / "capture", items=2_000)
        analyse(open_capture(Path(small) / "capture"))
    start, used = time.monotonic(), time.process_time()
    analysis = analyse(open_capture(Path(folder)))
    content = analysis.to_json()
    analysed, used = time.monotonic(), time.process_time() - used
    page = render(content).encode()
    rendered = time.monotonic()
    # From the start: what was computed once may remember what a second computation would find otherwise.
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
