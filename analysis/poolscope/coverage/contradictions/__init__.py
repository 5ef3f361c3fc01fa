"""What tables of one capture say against each other.

Every table by itself may be well formed and still be wrong: of another capture, of a damaged stream, or changed. Most of
what is recorded is recorded twice, by the runtime and by the kernel, or as the end of one thing and the beginning of the
next. Real captures agree to the nanosecond; if one does not, no verdict is certain (docs/attribution.md).
"""

from poolscope.coverage.contradictions.contradiction import Contradiction
from poolscope.coverage.contradictions.find import find_contradictions

__all__ = ["Contradiction", "find_contradictions"]
