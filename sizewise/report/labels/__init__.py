"""Reports of `sizewise labels`."""
