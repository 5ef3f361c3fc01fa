"""Speed and memory of decoding a capture's raw streams into tables, compared with well-known tools."""
