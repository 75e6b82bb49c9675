"""Reports of `sizewise explain`."""
