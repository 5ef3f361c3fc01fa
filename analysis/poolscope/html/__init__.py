"""What every HTML page is made of: frame, escaping, formatting, colours, the bundle of plotly.js."""
