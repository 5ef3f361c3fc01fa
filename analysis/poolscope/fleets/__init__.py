"""One question about many captures. The machine that stores a capture analyses it; only rows and sketches are sent."""
