// Nearest neighbor and its gradient: every output pixel is one input pixel, bit for bit, or none. No arithmetic.
//
// Elements are moved as integers of their size, so that NaN payloads survive on every CPU.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

enum { MIN_ZERO_STREAM_BYTES = 1 << 15 };  // shorter rows of zeros are not worth a switch to non-temporal stores

// Copy n elements; eight and more go by vectors of eight, the last of which overlaps.
template <class T> INLINE void copy_elements(const T *p, T *q, Index n) {
    for (Index i = 0; i < n && n < LANES; i++) q[i] = p[i];
    for (Index i = 0; i < n && n >= LANES; i += LANES) {
        i = min(i, n - LANES);
        put(q + i, get<Vec<T, LANES>>(p + i));
    }
}

template <class T> NOINLINE void zero_row(T *q, Index n, bool streams) {
    Index i = 0;
    if (streams) {
        i = min(to_next_line(q), n);
        memset(q, 0, (size_t)i * sizeof(T));
        for (; i + WIDE<T> <= n; i += WIDE<T>) stream_vector(q + i, Vec<T, WIDE<T>>{});
    }
    memset(q + i, 0, (size_t)(n - i) * sizeof(T));
}

// How many pixels of 3 or 4 channels can be moved as vectors of four: with 3, the fourth element read belongs to the
// next pixel and must be readable, and the fourth written is written again by the next pixel, which the last does not
// have.
INLINE Index vector_pixels(const RowTaps<float> &taps, Index n_readable) {
    if (taps.channels == 4) return taps.n;
    return taps.channels == 3 && n_readable > taps.n_in * 3 ? taps.n - 1 : 0;
}

// One row where some pixels are 0: the gradient of nearest.
template <class T> NOINLINE void copy_some_pixels(const T *x, const RowTaps<float> &given, T *q) {
    const RowTaps<float> taps = given;
    Index channels = taps.channels;
    if (channels == 1) {  // read in any case: no branch to mispredict
#pragma GCC unroll 4
        for (Index j = 0; j < taps.n; j++) q[j] = taps.counts[j] ? x[taps.start[j] * taps.counts[j]] : (T)0;
        return;
    }
    zero_row(q, taps.n * channels, false);
#pragma GCC unroll 4
    for (Index j = 0; j < taps.n; j++) {
        if (!taps.counts[j]) continue;
        if (channels == 3) memcpy(q + 3 * j, x + 3 * taps.start[j], 3 * sizeof(T));
        else copy_elements(x + taps.start[j] * channels, q + j * channels, channels);
    }
}

// One row where every pixel is one of x. `n_readable` elements may be read from x; `next` is the next input row.
template <class T>
NOINLINE void copy_pixels(const T *x, Index n_readable, const T *next, const RowTaps<float> &given, T *q) {
    const RowTaps<float> taps = given;
    Index channels = taps.channels, n = taps.n, n_vectors = vector_pixels(taps, n_readable), j = 0;
    const Index *start = taps.start;
    if (channels == 1) {
        for (; j + LANES <= n; j += LANES) {
            prefetch(next, start[j]);
            for (Index k = j; k < j + LANES; k++) q[k] = x[start[k]];
        }
        for (; j < n; j++) q[j] = x[start[j]];
        return;
    }
#pragma GCC unroll 4
    for (; j < n_vectors; j++) {
        Index p = start[j] * channels;
        prefetch(next, p);
        put(q + j * channels, get<Vec<T, 4>>(x + p));
    }
    for (; j < n; j++) {
        Index p = start[j] * channels;
        for (Index i = 0; i < channels; i += LINE<T>) prefetch(next, p + i);
        copy_elements(x + p, q + j * channels, channels);
    }
}

// One row of pixels that fill cache lines, bypassing the caches; 0 where there is none.
template <class T> NOINLINE void stream_pixels(const T *x, const T *next, const RowTaps<float> &given, T *q) {
    const RowTaps<float> taps = given;
    Index channels = taps.channels;
    for (Index j = 0; j < taps.n; j++) {
        Index p = taps.start[j] * channels;
        for (Index i = 0; i < channels; i += WIDE<T>) {
            Vec<T, WIDE<T>> pixel = {};
            if (taps.counts[j]) {
                prefetch(next, p + i);
                pixel = get<Vec<T, WIDE<T>>>(x + p + i);
            }
            stream_vector(q + j * channels + i, pixel);
        }
    }
}

template <class T> Status nearest(const KernelArgs &args) {
    const Arrays<T, T> arrays(args);
    const Layout &layout = arrays.layout;
    const BothTaps<float> taps(args.tables[0], args.tables[1]);  // of the weights, which are all 1, nothing is read
    const RowTaps<float> &v = taps.vertical, &h = taps.horizontal;
    const Index row_out = taps.horizontal.row_out();
    const bool is_long = row_out * (Index)sizeof(T) >= MIN_ZERO_STREAM_BYTES;
    bool has_all = true;
    for (Index j = 0; j < h.n; j++) has_all &= h.counts[j] > 0;
    RowCursor at(args.first, layout.rows_per_image);
    const T *q_before = nullptr;
    for (Index g = args.first; g < args.last; g++) {
        const Index o = at.row, base = input_row_offset(layout, at.image, v.start[o]);
        const T *x = arrays.x + base;
        T *q = arrays.out + output_row_offset(layout, at);
        at.next();
        const T *next = address_of(arrays.x, input_row_offset(layout, at.image, v.start[at.row]));
        bool streams = layout.nontemporal && fills_lines(q, h.channels);
        bool repeats = q_before && o > 0 && v.start[o] == v.start[o - 1] && v.counts[o - 1];
        if (!v.counts[o]) zero_row(q, row_out, streams || (layout.nontemporal && is_long));
        else if (streams) stream_pixels(x, next, h, q);
        else if (repeats) copy_elements(q_before, q, row_out);
        else if (has_all) copy_pixels(x, args.x_size - base, next, h, q);
        else copy_some_pixels(x, h, q);
        q_before = q;
    }
    if (layout.nontemporal) fence_streams();
    return DONE;
}

}  // namespace sizewise::SIZEWISE_ISA
