"""The types of analysis.json, for the code that writes or reads it. Importing them costs nothing."""
