"""An analysis that may leave the house: names replaced by tokens before anything is rendered from it."""

from poolscope.redact.redact import Tokens, redact

__all__ = ["Tokens", "redact"]
