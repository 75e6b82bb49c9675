"""The host side of the kernels: packing of taps, layout of arrays, costs, passes, threads, and the NumPy fallback.

`passes` runs one pass over an array of any strides and dtype, in `tiles` where it must; `calls` holds a kernel with its
tables; `costs` says what that costs. The kernels themselves are in `_core`, and in NumPy in `fallback`.
"""
