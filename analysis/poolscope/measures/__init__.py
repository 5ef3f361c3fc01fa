"""Measurements from the tables beyond the attribution: one idea per file, shared by rules, blame and report."""
