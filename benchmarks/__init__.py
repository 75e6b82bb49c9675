"""Benchmarks that `make bench` runs, on top of the package sizewise_bench in src/."""
