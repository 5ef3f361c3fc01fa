"""A gate for continuous integration: conditions on the numbers and findings of one analysis."""

from poolscope.check.condition import Condition, parse, parse_any
from poolscope.check.outcome import FAILED, PASSED, UNKNOWN, Outcome, evaluate, junit_xml

__all__ = ["FAILED", "PASSED", "UNKNOWN", "Condition", "Outcome", "evaluate", "junit_xml", "parse", "parse_any"]
