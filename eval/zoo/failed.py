"""The only error of the zoo's runner."""

from __future__ import annotations


class RunFailed(Exception):
    """A run could not be made or analysed; the message is for the user."""
