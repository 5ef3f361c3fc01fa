"""The HTML report: one self-contained page, a pure function of analysis.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolscope.report.rendering import render

__all__ = ["render"]

if not TYPE_CHECKING:

    def __getattr__(name):
        """Imports the templates only when a page is rendered: commands also print the words of its sections."""
        if name == "render":
            from poolscope.report.rendering import render

            return render
        raise AttributeError(f"module 'poolscope.report' has no attribute {name!r}")
