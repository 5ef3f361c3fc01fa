"""The types of analysis.json, for everything that makes it or reads it. Importing them costs nothing."""
