"""The base of every layer: arrays, time series, statistics, units and their words, files, errors. Imports no other part
of the package."""
