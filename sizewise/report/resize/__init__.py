"""Reports of `sizewise resize`."""
