// Tables of 256 entries for the bytes of an image: pointwise steps after a resize, as one look-up.
//
// Scalar: gathers of 32-bit entries are slower than loads on the CPUs measured (Zen 4), and no shuffle holds a table.
#pragma once
#include "core.h"

namespace sizewise {

// Pixels of C channels, or of `n` if C is 0: entry x[i][c] of table c becomes out[c][i] (planes) or out[i][c].
template <class T, int C, bool PLANES>
void look_up_pixels(const uint8_t *x, Index n_pixels, Index n, const T *tables, T *out) {
    const Index channels = C ? C : n;
    for (Index i = 0; i < n_pixels; i++)
        for (Index c = 0; c < channels; c++) {
            T value = tables[256 * c + x[i * channels + c]];
            out[PLANES ? c * n_pixels + i : i * channels + c] = value;
        }
}

template <class T>
void look_up(const uint8_t *x, Index n_pixels, Index channels, const void *tables, void *out, bool planes) {
    auto fill = planes  ? channels == 3 ? look_up_pixels<T, 3, true> : look_up_pixels<T, 0, true>
        : channels == 3 ? look_up_pixels<T, 3, false>
                        : look_up_pixels<T, 0, false>;
    fill(x, n_pixels, channels, (const T *)tables, (T *)out);
}

}  // namespace sizewise
