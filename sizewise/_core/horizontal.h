// The horizontal pass: eight rows at a time, transposed, so that vectors run along memory for any number of channels.
#pragma once
#include "vertical.h"

namespace sizewise::SIZEWISE_ISA {

// One row, element by element: the exact reference, for rows that are short or hold a NaN or Inf.
template <class S, class A, class O> NOINLINE void horizontal_row(const S *source, const RowTaps<A> &taps, O *q) {
    for (Index j = 0; j < taps.n; j++) {
        const RowSum<S, A> sum({source, taps.channels}, taps, j);
        for (Index c = 0; c < taps.channels; c++, q++) store<A, 1>(q, sum_column<A, 1>(sum, c));
    }
}

// One row of many channels: its pixels are summed as rows are.
template <class S, class A, class O, class X>
NOINLINE void horizontal_pixels(const S *source, const RowTaps<A> &taps, O *q, Prefetcher<X> &ahead) {
    const Index channels = taps.channels;
    const RowSource<S> pixels = {source, channels};
    for (Index j = 0; j < taps.n; j++, q += channels) {
        if (taps.is_joint(j)) {
            sum_row_pair<false>(pixels, taps, j, q, q + channels, channels, ahead);
            j++, q += channels;
        } else {
            ahead.advance(channels);
            sum_row(pixels, taps, j, q, 0, channels);
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

// Elements `first` and following of block b. Elements of one pixel have the same weights and lie side by side: L says
// which element is the first of each one's pixel, so that one load of a weight serves all of them.
template <int... L, class A>
INLINE void sum_elements_of(const BlockedTaps<A> &blocks, Index b, int first, const A *transposed, Index step,
                            Block<A> &sums) {
    constexpr int N = sizeof...(L), lead[] = {L...};
    const Index *offset = blocks.offset + b * LANES + first;
    const A *w = blocks.table + blocks.weights_at[b] + first, *p[N];
    Vec<A, LANES> a[N] = {};
    for (int i = 0; i < N; i++) p[i] = transposed + offset[lead[i]] + (i - lead[i]) * LANES;
    Index s = 0;
    for (Index k = 0; k < blocks.depth[b]; k++, w += LANES, s += step)
        for (int i = 0; i < N; i++) a[i] = a[i] + w[lead[i]] * load<A, LANES>(p[i] + s);
    for (int i = 0; i < N; i++) sums[first + i] = a[i];
}

// Block b of two taps, without a loop over taps.
template <class A>
INLINE void sum_block_of_two(const BlockedTaps<A> &blocks, Index b, const A *transposed, Index step, Block<A> &sums) {
    const A *w = blocks.table + blocks.weights_at[b];
    for (int i = 0; i < LANES; i++) {
        const A *p = transposed + blocks.offset[b * LANES + i];
        Vec<A, LANES> sum = Vec<A, LANES>{} + w[i] * load<A, LANES>(p);
        sums[i] = sum + w[i + LANES] * load<A, LANES>(p + step);
    }
}

template <class A>
INLINE void sum_block(const BlockedTaps<A> &blocks, Index b, const A *transposed, Index channels, Block<A> &sums) {
    Index step = channels * LANES;
    if constexpr (sizeof(A) > 4) {  // eight sums of eight float64 would not fit the registers of most CPUs
        sum_elements_of<0, 1, 2, 3>(blocks, b, 0, transposed, step, sums);
        sum_elements_of<0, 1, 2, 3>(blocks, b, 4, transposed, step, sums);
    } else if (blocks.depth[b] == 2) sum_block_of_two(blocks, b, transposed, step, sums);
    else if (channels == 4) sum_elements_of<0, 0, 0, 0, 4, 4, 4, 4>(blocks, b, 0, transposed, 4 * LANES, sums);
    else if (channels != 3) sum_elements_of<0, 1, 2, 3, 4, 5, 6, 7>(blocks, b, 0, transposed, step, sums);
    else if (blocks.first[b] % 3 == 0)
        sum_elements_of<0, 0, 0, 3, 3, 3, 6, 6>(blocks, b, 0, transposed, 3 * LANES, sums);
    else if (blocks.first[b] % 3 == 1)
        sum_elements_of<0, 0, 2, 2, 2, 5, 5, 5>(blocks, b, 0, transposed, 3 * LANES, sums);
    else sum_elements_of<0, 1, 1, 1, 4, 4, 4, 7>(blocks, b, 0, transposed, 3 * LANES, sums);
}

// The horizontal pass of eight transposed rows to out[to[r]]. Returns a byte whose bit r says that row r is not finite:
// a padded tap may have spoiled it, and it must be done again by `horizontal_row`.
template <class A, class O, class X>
NOINLINE unsigned horizontal_transposed(const A *transposed, const HorizontalTaps<A> &taps, O *out, const Index *to,
                                        Prefetcher<X> &ahead) {
    const BlockedTaps<A> blocks = taps.blocks;
    Vec<A, LANES> check = {};
    O *q[LANES];
    Index channels = taps.channels, add = taps.add, shift = taps.shift;
    for (int r = 0; r < LANES; r++) q[r] = out + to[r];
    for (Index b = 0; b < blocks.n; b++) {
        ahead.advance(LANES * LANES);
        Block<A> v;
        sum_block(blocks, b, transposed, channels, v);
        if constexpr (is_real<A>)
            check = check + (((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))) * (A)0;
        for (int i = 0; i < LANES; i++) v[i] = finish<A, LANES>(v[i], add, shift);
        transpose<A>(v);
        Index first = blocks.first[b];
        for (int r = 0; r < LANES; r++) store<A, LANES>(q[r] + first, v[r]);
    }
    return nan_lanes<A, LANES>(check);
}

// The horizontal pass of up to eight rows, from source[rows[r]] to out[to[r]]. Both name eight: where there are fewer,
// the last stands in for those missing and is written again.
template <class S, class A, class O, class X>
INLINE void horizontal(const S *source, const Index *rows, Index n_rows, const HorizontalTaps<A> &taps, A *transposed,
                       O *out, const Index *to, Prefetcher<X> &ahead) {
    if (taps.channels >= MANY_CHANNELS) {
        for (Index r = 0; r < n_rows; r++) horizontal_pixels(source + rows[r], taps, out + to[r], ahead);
        return;
    }
    unsigned todo = 0xFF;
    if (taps.blocks.n > 0) {
        transpose_rows(source, rows, taps.row_in(), transposed);
        todo = horizontal_transposed(transposed, taps, out, to, ahead);
    }
    for (Index r = 0; r < n_rows && todo; r++)
        if (todo >> r & 1) horizontal_row(source + rows[r], taps, out + to[r]);
}

}  // namespace sizewise::SIZEWISE_ISA
