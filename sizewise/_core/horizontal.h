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
template <class S, class A, class O>
NOINLINE void horizontal_pixels(const S *source, const RowTaps<A> &taps, O *q, Prefetcher &ahead) {
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

// Taps k .. k + n - 1 of block b.
template <class A> struct BlockTaps {
    const Index *offset, n;
    const A *weights, *transposed;
    Index step;
    INLINE_MEMBER BlockTaps(const BlockedTaps<A> &blocks, Index b, const A *rows, Index channels, Index k, Index n_taps)
        : offset(blocks.offset + b * LANES), n(n_taps), weights(blocks.table + blocks.weights_at[b] + k * LANES),
          transposed(rows + k * channels * LANES), step(channels * LANES) {}
};

// Elements `first` and following of a block. Elements of one pixel have the same weights and lie side by side: L says
// which element is the first of each one's pixel, so that one load of a weight serves all of them.
template <int... L, class A>
INLINE void sum_elements_of(const BlockTaps<A> &taps, int first, Index step, Block<A> &sums) {
    constexpr int N = sizeof...(L), lead[] = {L...};
    const A *w = taps.weights + first, *p[N];
    Vec<A, LANES> a[N] = {};
    for (int i = 0; i < N; i++) p[i] = taps.transposed + taps.offset[first + lead[i]] + (i - lead[i]) * LANES;
    Index s = 0;
    for (Index k = 0; k < taps.n; k++, w += LANES, s += step)
        for (int i = 0; i < N; i++) a[i] = a[i] + w[lead[i]] * load<A, LANES>(p[i] + s);
    for (int i = 0; i < N; i++) sums[first + i] = a[i];
}

// A block of two taps, without a loop over taps.
template <class A> INLINE void sum_two_taps(const BlockTaps<A> &taps, Block<A> &sums) {
    for (int i = 0; i < LANES; i++) {
        const A *p = taps.transposed + taps.offset[i];
        Vec<A, LANES> sum = Vec<A, LANES>{} + taps.weights[i] * load<A, LANES>(p);
        sums[i] = sum + taps.weights[i + LANES] * load<A, LANES>(p + taps.step);
    }
}

// `phase` is the channel of the first element.
template <class A> INLINE void sum_taps(const BlockTaps<A> &taps, Index channels, Index phase, Block<A> &sums) {
    if constexpr (sizeof(A) > 4) {  // eight sums of eight float64 would not fit the registers of most CPUs
        sum_elements_of<0, 1, 2, 3>(taps, 0, taps.step, sums);
        sum_elements_of<0, 1, 2, 3>(taps, 4, taps.step, sums);
    } else if (taps.n == 2) sum_two_taps(taps, sums);
    else if (channels == 4) sum_elements_of<0, 0, 0, 0, 4, 4, 4, 4>(taps, 0, 4 * LANES, sums);
    else if (channels != 3) sum_elements_of<0, 1, 2, 3, 4, 5, 6, 7>(taps, 0, taps.step, sums);
    else if (phase == 0) sum_elements_of<0, 0, 0, 3, 3, 3, 6, 6>(taps, 0, 3 * LANES, sums);
    else if (phase == 1) sum_elements_of<0, 0, 2, 2, 2, 5, 5, 5>(taps, 0, 3 * LANES, sums);
    else sum_elements_of<0, 1, 1, 1, 4, 4, 4, 7>(taps, 0, 3 * LANES, sums);
}

// Block b of more than sum_block taps.
template <class A>
NOINLINE void sum_long_block(const BlockedTaps<A> &blocks, Index b, const A *transposed, Index channels, Index phase,
                             Index sum_block, Block<A> &sums) {
    for (int i = 0; i < LANES; i++) sums[i] = Vec<A, LANES>{};
    for (Index k = 0; k < blocks.depth[b]; k += sum_block) {
        Block<A> part;
        Index n = min(sum_block, blocks.depth[b] - k);
        sum_taps(BlockTaps<A>(blocks, b, transposed, channels, k, n), channels, phase, part);
        for (int i = 0; i < LANES; i++) sums[i] = sums[i] + part[i];
    }
}

template <class A>
INLINE void sum_block_of(const HorizontalTaps<A> &taps, Index b, const A *transposed, Block<A> &sums) {
    const BlockedTaps<A> &blocks = taps.blocks;
    const Index channels = taps.channels, phase = channels == 3 ? blocks.first[b] % 3 : 0;
    if (is_long<A>(blocks.depth[b], taps.sum_block)) {
        Block<A> total;  // and not `sums`, which stay in registers as long as no function has their address
        sum_long_block(blocks, b, transposed, channels, phase, taps.sum_block, total);
        for (int i = 0; i < LANES; i++) sums[i] = total[i];
    } else {
        sum_taps(BlockTaps<A>(blocks, b, transposed, channels, 0, blocks.depth[b]), channels, phase, sums);
    }
}

// The horizontal pass of eight transposed rows to out[to[r]]. Returns a byte whose bit r says that row r is not finite:
// a padded tap may have spoiled it, and it must be done again by `horizontal_row`.
template <class A, class O>
NOINLINE unsigned horizontal_transposed(const A *transposed, const HorizontalTaps<A> &taps, O *out, const Index *to,
                                        Prefetcher &ahead) {
    const BlockedTaps<A> blocks = taps.blocks;
    Vec<A, LANES> check = {};
    O *q[LANES];
    const Finish<A> finish = taps.undivided;
    const bool divides = taps.divisors != nullptr;
    for (int r = 0; r < LANES; r++) q[r] = out + to[r];
    for (Index b = 0; b < blocks.n; b++) {
        ahead.advance(LANES * LANES);
        Block<A> v;
        sum_block_of(taps, b, transposed, v);
        if constexpr (is_real<A>)
            check = check + (((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))) * (A)0;
        if (divides)
            for (int i = 0; i < LANES; i++) v[i] = v[i] / blocks.table[blocks.weights_at[b] - LANES + i];
        if (finish.changes)
            for (int i = 0; i < LANES; i++) v[i] = finish(v[i]);
        transpose<A>(v);
        Index first = blocks.first[b];
        for (int r = 0; r < LANES; r++) store<A, LANES>(q[r] + first, v[r]);
    }
    return nan_lanes<A, LANES>(check);
}

// The horizontal pass of up to eight rows, from source[rows[r]] to out[to[r]]. Both have eight entries: if there are
// fewer rows, the last is repeated.
template <class S, class A, class O>
INLINE void horizontal(const S *source, const Index *rows, Index n_rows, const HorizontalTaps<A> &taps, A *transposed,
                       O *out, const Index *to, Prefetcher &ahead) {
    if (taps.channels >= MIN_PIXEL_CHANNELS) {
        for (Index r = 0; r < n_rows; r++) horizontal_pixels(source + rows[r], taps, out + to[r], ahead);
        return;
    }
    unsigned todo = 0xFF;
    if (taps.blocks.n > 0) {
        const Index end = LANES * taps.row_in();
        transpose_rows(source, rows, taps.row_in(), transposed);
        memset((void *)(transposed + end), 0, (size_t)(taps.n_transposed() - end) * sizeof(A));
        todo = horizontal_transposed(transposed, taps, out, to, ahead);
    }
    for (Index r = 0; r < n_rows && todo; r++)
        if (todo >> r & 1) horizontal_row(source + rows[r], taps, out + to[r]);
}

}  // namespace sizewise::SIZEWISE_ISA
