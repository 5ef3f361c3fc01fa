"""The page's text about a process's exit code."""

import pytest
from poolscope.report.sections.captured import _exit_code


@pytest.mark.parametrize(
    "code, said",
    [
        (None, None),
        (0, 0),
        (3, 3),
        (134, "134 (that of SIGABRT (for example an unhandled exception))"),
        (137, "137 (that of SIGKILL (for example out of memory))"),
        (139, "139 (that of SIGSEGV, a crash)"),
        (255, 255),
        (-1, -1),
    ],
)
def test_a_code_that_a_signal_brings_names_the_signal(code, said):
    assert _exit_code({"exit_code": code}) == said
