"""Every figure of speed in one run: ours and what it is held against in turn, several times, on this machine."""
