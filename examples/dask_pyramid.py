"""Build an image pyramid with Dask, in the memory of a few chunks: every level has the bits of the in-memory result."""

import dask.array as da
import numpy as np

import sizewise as sw

image = da.random.default_rng(0).integers(0, 4096, (6000, 4000), np.uint16, chunks=(1000, 1000))  # computed on demand
levels = [image]
while min(levels[-1].shape) > 500:
    height, width = levels[-1].shape
    levels.append(sw.resize(levels[-1], (height // 2, width // 2), "area"))

for number, level in enumerate(levels):
    print(f"level {number}: {level.shape}, {level.npartitions} chunks of at most {level.chunksize}")

corner = levels[-1][:10, :10].compute()  # reads only the blocks below this corner
expected = image[:80, :80].compute()
for size in (40, 20, 10):
    expected = sw.resize(expected, (size, size), "area")
print(f"the corner equals the in-memory result: {np.array_equal(corner, expected)}")
assert np.array_equal(corner, expected)
