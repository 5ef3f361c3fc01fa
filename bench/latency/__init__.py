"""Requests of the bundled service as measured by Poolscope, compared with the clock of the load generator."""
