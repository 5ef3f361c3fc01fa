"""An analysis that may leave the house: names replaced by tokens before anything is rendered from it."""

from poolscope.redact.redact import redact, redact_sentence

__all__ = ["redact", "redact_sentence"]
