"""The HTML report: one self-contained page, a pure function of analysis.json."""

from poolscope.report.render import render

__all__ = ["render"]
