"""Every figure of speed in one run: Poolscope's and its comparison's in turn, several times, on this machine."""
