"""Reports of `sizewise translate`."""
