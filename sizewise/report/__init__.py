"""Reports: one folder per command, with its text, JSON, pages and figures."""
