"""Reports of a parity sweep: text for the terminal, Markdown and JSON."""
