"""The product of an analysis: analysis.json, of which every page is a pure function."""

from poolscope.product.analysis import Analysis, analyse, dumps

__all__ = ["Analysis", "analyse", "dumps"]
