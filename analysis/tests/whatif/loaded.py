"""A workload at another rate, as used by the predictor."""

from poolscope.whatif.load import Groups, unchanged


def at_load(workload, load, seed, kept=None):
    """Returns the workload with `load` times the arrivals; 1.0 gives the workload itself."""
    return unchanged(workload) if load == 1.0 else Groups.of(workload, kept).at_load(load, seed)
