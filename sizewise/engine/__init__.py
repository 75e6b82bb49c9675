"""Host side of the kernels: from a plan and an array to kernel calls.

`executor` turns a plan into passes; `passes` chooses a kernel for each and runs it, through `staging` where no kernel
reads the array in place. `axis_taps`, `integer_taps` and `packing` prepare the tables, `layout` the strides, `costs`
the split into bands of rows. The kernels are in `_core`, and in NumPy in `fallback`.
"""
