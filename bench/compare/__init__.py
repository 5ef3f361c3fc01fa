"""`bench compare`: what `poolscope compare` says of runs that are alike, and of runs whose items take 20 % longer."""
