"""The same scenarios under every kernel tier: what each of them says, side by side."""
