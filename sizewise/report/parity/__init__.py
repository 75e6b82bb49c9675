"""Reports of `sizewise parity`."""
