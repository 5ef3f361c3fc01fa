"""The parts of every HTML page: frame, escaping, formatting, colours, the bundle of plotly.js."""
