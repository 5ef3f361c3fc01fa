"""The version of everything here: this package, and the .NET tools, whose build reads this file."""

__version__ = "0.1.0"
