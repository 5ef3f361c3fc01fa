"""`bench compare`: the verdicts of `poolscope compare` on runs that are alike, and on runs whose items take 20 %
longer."""
