"""The product of an analysis: analysis.json. Every page is a pure function of it."""

from poolscope.product.analysis import Analysis, analyse, dumps

__all__ = ["Analysis", "analyse", "dumps"]
