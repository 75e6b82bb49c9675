"""Reports of `sizewise dialects`."""
