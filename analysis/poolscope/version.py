"""The version of this package and of the .NET tools, whose build reads this file."""

__version__ = "0.1.0"
