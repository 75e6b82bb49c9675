// The horizontal pass: eight rows at a time, transposed, so that vectors run along memory for any number of channels.
#pragma once
#include "vertical.h"

namespace sizewise::SIZEWISE_ISA {

// One row, element by element: the exact reference, for rows that are short or hold a NaN or Inf.
template <class S, class A, class O> NOINLINE void horizontal_row(const S *source, const RowTaps<A> &taps, O *q) {
    RowSource<S> pixels = {source, taps.channels, NO_RING};
    for (Index j = 0; j < taps.n; j++)
        for (Index c = 0; c < taps.channels; c++, q++)
            store<A, 1>(q, sum_column<A, 1>(pixels, taps.start[j], taps, j, c));
}

// One row of many channels: its pixels are summed as rows are.
template <class S, class A, class O, class X>
NOINLINE void horizontal_pixels(const S *source, const RowTaps<A> &taps, O *q, Prefetcher<X> &ahead) {
    Index channels = taps.channels;
    RowSource<S> pixels = {source, channels, NO_RING};
    for (Index j = 0; j < taps.n;) {
        if (taps.is_joint(j)) {
            sum_row_pair<false>(pixels, taps.start[j], taps.start[j + 1], taps, j, q, q + channels, channels, ahead);
            j += 2, q += 2 * channels;
        } else {
            ahead.advance(channels);
            sum_row(pixels, taps.start[j], taps, j, q, 0, channels);
            j += 1, q += channels;
        }
    }
}

// transposed[8 e + r] = element e of row r, of eight rows of n elements.
template <class S, class A> NOINLINE void transpose_rows(const S *source, const Index *rows, Index n, A *transposed) {
    const S *r[LANES];
    for (int k = 0; k < LANES; k++) r[k] = source + rows[k];
    for (Index e = 0; e < n; e += LANES) {
        e = min(e, n - LANES);
        Vec<A, LANES> v[LANES];
        for (int k = 0; k < LANES; k++) v[k] = load<A, LANES>(r[k] + e);
        transpose<A>(v);
        for (int k = 0; k < LANES; k++) store<A, LANES>(transposed + (e + k) * LANES, v[k]);
    }
}

template <class A> using Block = Vec<A, LANES>[LANES];  // eight neighboring elements, of eight rows each

// Block b. Elements of one pixel have the same weights and lie side by side: L says which of the eight is the first of
// each one's pixel, so that one load of a weight serves all of them.
template <int... L, class A> INLINE void sum_block(const A *transposed, Index step, const BlockedTaps<A> &blocks, Index b, Block<A> &sums) {
    constexpr int lead[LANES] = {L...};
    const Index *offset = blocks.offset + b * LANES;
    const A *w = blocks.table + blocks.weights_at[b], *p[LANES];
    for (int i = 0; i < LANES; i++) p[i] = transposed + offset[lead[i]] + (i - lead[i]) * LANES, sums[i] = Vec<A, LANES>{};
    Index s = 0;
    for (Index k = 0; k < blocks.depth[b]; k++, w += LANES, s += step)
        for (int i = 0; i < LANES; i++) sums[i] = sums[i] + w[lead[i]] * load<A, LANES>(p[i] + s);
}

// Block b in two halves: eight sums of eight float64 would not fit the registers of most CPUs.
template <class A> INLINE void sum_block_halves(const A *transposed, Index step, const BlockedTaps<A> &blocks, Index b, Block<A> &sums) {
    for (int first = 0; first < LANES; first += 4) {
        const Index *offset = blocks.offset + b * LANES + first;
        const A *w = blocks.table + blocks.weights_at[b] + first, *p[4];
        Vec<A, LANES> a[4];
        for (int i = 0; i < 4; i++) p[i] = transposed + offset[i], a[i] = Vec<A, LANES>{};
        Index s = 0;
        for (Index k = 0; k < blocks.depth[b]; k++, w += LANES, s += step)
            for (int i = 0; i < 4; i++) a[i] = a[i] + w[i] * load<A, LANES>(p[i] + s);
        for (int i = 0; i < 4; i++) sums[first + i] = a[i];
    }
}

// Block b of two taps, without a loop over taps.
template <class A> INLINE void sum_block_of_two(const A *transposed, Index step, const BlockedTaps<A> &blocks, Index b, Block<A> &sums) {
    const Index *offset = blocks.offset + b * LANES;
    const A *w = blocks.table + blocks.weights_at[b];
    for (int i = 0; i < LANES; i++) {
        const A *p = transposed + offset[i];
        Vec<A, LANES> sum = Vec<A, LANES>{} + w[i] * load<A, LANES>(p);
        sums[i] = sum + w[i + LANES] * load<A, LANES>(p + step);
    }
}

template <class A> INLINE void sum_any_block(const A *transposed, Index channels, const BlockedTaps<A> &blocks, Index b, Block<A> &sums) {
    Index step = channels * LANES;
    if constexpr (sizeof(A) > 4) return sum_block_halves(transposed, step, blocks, b, sums);
    if (blocks.depth[b] == 2) return sum_block_of_two(transposed, step, blocks, b, sums);
    if (channels == 4) return sum_block<0, 0, 0, 0, 4, 4, 4, 4>(transposed, 4 * LANES, blocks, b, sums);
    if (channels != 3) return sum_block<0, 1, 2, 3, 4, 5, 6, 7>(transposed, step, blocks, b, sums);
    switch (blocks.first[b] % 3) {
    case 0: return sum_block<0, 0, 0, 3, 3, 3, 6, 6>(transposed, 3 * LANES, blocks, b, sums);
    case 1: return sum_block<0, 0, 2, 2, 2, 5, 5, 5>(transposed, 3 * LANES, blocks, b, sums);
    default: return sum_block<0, 1, 1, 1, 4, 4, 4, 7>(transposed, 3 * LANES, blocks, b, sums);
    }
}

// The horizontal pass of eight transposed rows to out[to[r]]. Returns a byte whose bit r says that row r is not finite:
// a padded tap may have spoiled it, and it must be done again by `horizontal_row`.
template <class A, class O, class X>
NOINLINE unsigned horizontal_transposed(const A *transposed, const RowTaps<A> &taps, const BlockedTaps<A> &given, O *out,
                                        const Index *to, Prefetcher<X> &ahead) {
    const BlockedTaps<A> blocks = given;
    Vec<A, LANES> check = {};
    O *q[LANES];
    Index channels = taps.channels;
    Finish<A> finish = taps.finish;
    bool divides = taps.divisors != nullptr;
    for (int r = 0; r < LANES; r++) q[r] = out + to[r];
    for (Index b = 0; b < blocks.n; b++) {
        ahead.advance(LANES * LANES);
        Block<A> v;
        sum_any_block(transposed, channels, blocks, b, v);
        if constexpr (is_real<A>) check = check + (((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))) * (A)0;
        for (int i = 0; i < LANES; i++) {
            if (divides) finish.divisor = blocks.table[blocks.weights_at[b] - LANES + i];
            v[i] = finish.template operator()<LANES>(v[i]);
        }
        transpose<A>(v);
        Index first = blocks.first[b];
        for (int r = 0; r < LANES; r++) store<A, LANES>(q[r] + first, v[r]);
    }
    return nan_lanes<A, LANES>(check);
}

// The horizontal pass of up to eight rows, from source[rows[r]] to out[to[r]]. Both name eight: where there are fewer,
// the last stands in for those missing and is written again.
template <class S, class A, class O, class X>
INLINE void horizontal(const S *source, const Index *rows, Index n_rows, const RowTaps<A> &taps,
                       const BlockedTaps<A> &blocks, A *transposed, O *out, const Index *to, Prefetcher<X> &ahead) {
    if (taps.channels >= MANY_CHANNELS) {
        for (Index r = 0; r < n_rows; r++) horizontal_pixels(source + rows[r], taps, out + to[r], ahead);
        return;
    }
    unsigned todo = 0xFF;
    if (blocks.n > 0) {
        transpose_rows(source, rows, taps.n_in * taps.channels, transposed);
        todo = horizontal_transposed(transposed, taps, blocks, out, to, ahead);
    }
    for (Index r = 0; r < n_rows && todo; r++)
        if (todo >> r & 1) horizontal_row(source + rows[r], taps, out + to[r]);
}

template <class A> INLINE Index transpose_scratch_size(const RowTaps<A> &taps, const BlockedTaps<A> &blocks) {
    return blocks.n > 0 ? LANES * taps.n_in * taps.channels : 0;
}

}  // namespace sizewise::SIZEWISE_ISA
