"""How fast the raw streams of a capture become tables, and in how much memory, next to the tools that people know."""
