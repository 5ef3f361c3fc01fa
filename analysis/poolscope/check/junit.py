"""Outcomes as the JUnit XML that continuous-integration systems read.

There is no one standard; this keeps to what Jenkins's schema (junit-10.xsd of its xUnit plugin), GitLab and Azure
Pipelines agree on: testsuites, testsuite, testcase, failure and skipped with the attributes used here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from poolscope.check.outcome import FAILED, UNKNOWN, Outcome

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def junit_xml(name: str, outcomes: Sequence[Outcome], verdict: str) -> str:
    """Writes one test suite for the capture `name`, one test case per condition. A condition without enough evidence is
    skipped.

    `verdict` is the verdict's sentence, which each failure quotes. No times: a condition takes none.
    """
    failures = sum(outcome.status == FAILED for outcome in outcomes)
    skipped = sum(outcome.status == UNKNOWN for outcome in outcomes)
    totals = {"tests": str(len(outcomes)), "failures": str(failures), "errors": "0", "time": "0"}
    suites = ElementTree.Element("testsuites", {"name": "poolscope check", **totals})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _text(name), **totals, "skipped": str(skipped)})
    for outcome in outcomes:
        attributes = {"classname": "poolscope.check", "name": _text(outcome.condition.text), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if outcome.status == FAILED:
            failure = ElementTree.SubElement(case, "failure", {"message": _text(outcome.said), "type": "condition"})
            failure.text = _text(verdict)
        elif outcome.status == UNKNOWN:
            ElementTree.SubElement(case, "skipped", {"message": _text(outcome.said)})
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _text(value: str) -> str:
    return NOT_XML.sub("\ufffd", value)
