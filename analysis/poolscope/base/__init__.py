"""The base of every layer: arrays, time series, statistics, units and their words, files, errors. Imports nothing of the package."""
