"""Reports of `sizewise identify`."""
