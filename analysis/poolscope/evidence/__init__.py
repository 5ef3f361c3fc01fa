"""The facts that rules judge, each computed once, on first use."""
