"""The share of right verdicts by confidence, over many runs of the zoo and the published experiments."""
