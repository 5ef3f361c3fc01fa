"""Replaces names in an analysis with tokens before anything is rendered from it."""

from poolscope.redact.redact import Tokens, redact, redact_sentence

__all__ = ["Tokens", "redact", "redact_sentence"]
