"""The same scenarios under every kernel tier, with their verdicts side by side."""
