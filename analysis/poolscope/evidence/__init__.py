"""Facts that rules judge, each computed once and only when a rule asks."""
