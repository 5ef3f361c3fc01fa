"""One question over many captures: each is analysed where it lies, and only rows and sketches travel."""
