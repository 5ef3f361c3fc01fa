"""Requests of the bundled service as Poolscope measured them, against the clock of the load generator."""
