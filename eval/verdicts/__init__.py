"""How often a verdict is right, by its confidence: the zoo and the published experiments, many times over."""
