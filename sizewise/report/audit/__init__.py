"""Reports of `sizewise audit`."""
