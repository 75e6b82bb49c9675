"""Reports of `sizewise compare`."""
