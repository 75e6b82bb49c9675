// Sums over rows: the vertical pass, and the horizontal one over many channels, where the rows are pixels.
//
// Every sum starts at +0 and adds in tap order, multiply then add, never fused. A weight of exactly 0 adds nothing, not
// even 0 * NaN.
#pragma once
#include "prefetch.h"

namespace sizewise::SIZEWISE_ISA {

enum { FOUR = 4 * LANES };
constexpr Index NO_RING = (Index)1 << 62;

// The rows of one image, or a ring buffer of rows: row r begins at source[r * stride].
//
// Functions copy what they are given by reference: a store might change what lies behind it, so that it would be loaded
// again for each vector. Passed by value it would be copied through memory for each row.
template <class S> struct RowSource {
    const S *source;
    Index stride, ring;
    INLINE_MEMBER const S *at(Index row) const { return source + row * stride; }
    INLINE_MEMBER Index next(Index row) const { return row + 1 < ring ? row + 1 : 0; }
};

// Whether the taps of output o from `row` on are summed without a look at each: no weight is 0, no row wraps around.
template <class S, class A>
INLINE bool is_plain_run(const RowSource<S> &rows, Index row, const RowTaps<A> &taps, Index o) {
    return row + taps.counts[o] <= rows.ring && (taps.flags[o] & NO_ZERO_WEIGHT);
}

// A walk over rows at element i: along memory if it is PLAIN, else around the ring.
template <bool PLAIN, class S> struct RowWalk {
    const RowSource<S> rows;
    Index row, i;
    const S *p = rows.at(row) + i;
    INLINE_MEMBER void next() {
        if constexpr (!PLAIN) row = rows.next(row);
        p = PLAIN ? p + rows.stride : rows.at(row) + i;
    }
    template <class A> INLINE_MEMBER bool counts(A weight) const { return PLAIN || weight != 0; }
};

// Output o, from row `row` on, at element i: one vector.
template <class A, int N, class S>
INLINE Vec<A, N> sum_column(const RowSource<S> &rows, Index row, const RowTaps<A> &taps, Index o, Index i) {
    Vec<A, N> sum = {};
    const A *w = taps.weights + o * taps.width;
    for (Index k = 0; k < taps.counts[o]; k++) {
        if (w[k] != 0) sum = sum + w[k] * load<A, N>(rows.at(row) + i);
        row = rows.next(row);
    }
    return finish<A, N>(sum, taps.add, taps.shift);
}

// Four neighboring vectors.
template <class A, int N> struct Quad {
    Vec<A, N> a = {}, b = {}, c = {}, d = {};
    template <class S> INLINE_MEMBER static Quad at(const S *p) {
        return {load<A, N>(p), load<A, N>(p + N), load<A, N>(p + 2 * N), load<A, N>(p + 3 * N)};
    }
    INLINE_MEMBER void add(A weight, const Quad &x) {
        a = a + weight * x.a, b = b + weight * x.b, c = c + weight * x.c, d = d + weight * x.d;
    }
    template <bool PLAIN, class S> INLINE_MEMBER void add_run(RowWalk<PLAIN, S> walk, const A *weights, Index n) {
        for (Index k = 0; k < n; k++, walk.next())
            if (walk.counts(weights[k])) add(weights[k], at(walk.p));
    }
    template <bool STREAM, class O> INLINE_MEMBER void put(O *q, Index add, Index shift) const {
        store_or_stream<STREAM, A, N>(q, finish<A, N>(a, add, shift));
        store_or_stream<STREAM, A, N>(q + N, finish<A, N>(b, add, shift));
        store_or_stream<STREAM, A, N>(q + 2 * N, finish<A, N>(c, add, shift));
        store_or_stream<STREAM, A, N>(q + 3 * N, finish<A, N>(d, add, shift));
    }
};

// q[i] = output o at element i, for i up to n. The last vector overlaps the one before: nothing written is read again.
template <bool STREAM, class S, class A, class O>
INLINE void sum_elements(const RowSource<S> &source, Index row, const RowTaps<A> &given, Index o, O *q, Index i,
                         Index n) {
    const RowSource<S> rows = source;
    const RowTaps<A> taps = given;
    if (n < LANES) {
        for (; i < n; i++) store<A, 1>(q + i, sum_column<A, 1>(rows, row, taps, o, i));
        return;
    }
    const A *w = taps.weights + o * taps.width;
    Index count = taps.counts[o];
    if (count == 2 && w[0] != 0 && w[1] != 0) {
        const S *p = rows.at(row), *r = rows.at(rows.next(row));
        A w0 = w[0], w1 = w[1];
        for (; i + FOUR <= n; i += FOUR) {
            Quad<A, LANES> sums;
            sums.add(w0, Quad<A, LANES>::at(p + i));
            sums.add(w1, Quad<A, LANES>::at(r + i));
            sums.template put<STREAM>(q + i, taps.add, taps.shift);
        }
    }
    bool plain = is_plain_run(rows, row, taps, o);
    for (; i + FOUR <= n; i += FOUR) {
        Quad<A, LANES> sums;
        if (plain) sums.add_run(RowWalk<true, S>{rows, row, i}, w, count);
        else sums.add_run(RowWalk<false, S>{rows, row, i}, w, count);
        sums.template put<STREAM>(q + i, taps.add, taps.shift);
    }
    for (; i < n; i += LANES) {
        i = min(i, n - LANES);
        store<A, LANES>(q + i, sum_column<A, LANES>(rows, row, taps, o, i));
    }
}

// Add the taps of two outputs: a has weights w[0 .. both - 1], b has v[before .. after - 1]. Rows that both read are
// loaded once.
template <bool PLAIN, class S, class A, int N>
INLINE void add_joint_runs(Quad<A, N> &a, Quad<A, N> &b, RowWalk<PLAIN, S> walk, const A *w, const A *v, Index before,
                           Index both, Index after) {
    Index k = 0;
    for (; k < before; k++, walk.next())
        if (walk.counts(w[k])) a.add(w[k], Quad<A, N>::at(walk.p));
    for (; k < both; k++, walk.next()) {
        Quad<A, N> x = Quad<A, N>::at(walk.p);
        if (walk.counts(w[k])) a.add(w[k], x);
        if (walk.counts(v[k])) b.add(v[k], x);
    }
    for (; k < after; k++, walk.next())
        if (walk.counts(v[k])) b.add(v[k], Quad<A, N>::at(walk.p));
}

// Outputs o and o + 1 together, to q and r, as far as there are whole quads of wide vectors; returns where that ends.
// Output o may read rows before those that both read, and o + 1 rows after.
template <bool STREAM, class S, class A, class O, class X>
INLINE Index sum_quad_pairs(const RowSource<S> &source, Index row, Index next, const RowTaps<A> &taps, Index o, O *q,
                            O *r, Index i, Index n, Prefetcher<X> &ahead) {
    constexpr int N = WIDE<A>;
    const RowSource<S> rows = source;
    Index before = taps.start[o + 1] - taps.start[o], both = taps.counts[o], after = before + taps.counts[o + 1];
    const A *w = taps.weights + o * taps.width, *v = taps.weights + (o + 1) * taps.width - before;
    bool plain = next == row + before && is_plain_run(rows, row, taps, o) && is_plain_run(rows, next, taps, o + 1);
    for (; i + 4 * N <= n; i += 4 * N) {
        ahead.advance(8 * N);
        Quad<A, N> a, b;
        if (plain) add_joint_runs<true>(a, b, RowWalk<true, S>{rows, row, i}, w, v, before, both, after);
        else add_joint_runs<false>(a, b, RowWalk<false, S>{rows, row, i}, w, v, before, both, after);
        a.template put<STREAM>(q + i, taps.add, taps.shift);
        b.template put<STREAM>(r + i, taps.add, taps.shift);
    }
    return i;
}

template <class S, class A, class O>
NOINLINE void sum_row(const RowSource<S> &rows, Index row, const RowTaps<A> &taps, Index o, O *q, Index i, Index n) {
    sum_elements<false>(rows, row, taps, o, q, i, n);
}
// The same, bypassing the caches from the first whole cache line on.
template <class S, class A, class O>
NOINLINE void sum_row_streamed(const RowSource<S> &rows, Index row, const RowTaps<A> &taps, Index o, O *q, Index n) {
    Index begin = to_next_line(q);
    if (begin > 0) sum_row(rows, row, taps, o, q, 0, begin);
    sum_elements<true>(rows, row, taps, o, q, begin, n);
}
// Output o from row `row` on, and o + 1 from row `next` on. Streamed, both must begin at one distance from a cache
// line.
template <bool STREAM, class S, class A, class O, class X>
NOINLINE void sum_row_pair(const RowSource<S> &rows, Index row, Index next, const RowTaps<A> &taps, Index o, O *q, O *r,
                           Index n, Prefetcher<X> &ahead) {
    Index begin = 0;
    if constexpr (STREAM) {
        begin = to_next_line(q);
        if (begin > 0) {
            sum_row(rows, row, taps, o, q, 0, begin);
            sum_row(rows, next, taps, o + 1, r, 0, begin);
        }
    }
    Index i = sum_quad_pairs<STREAM>(rows, row, next, taps, o, q, r, begin, n, ahead);
    if (i < n) {
        ahead.advance(2 * (n - i));
        sum_row(rows, row, taps, o, q, i, n);
        sum_row(rows, next, taps, o + 1, r, i, n);
    }
}

// The vertical pass of up to eight output rows: n elements each, row r to out[to[r]].
template <class X, class A, class O>
NOINLINE void sum_eight_rows(const X *x, const Layout &layout, const EightRows &eight, const RowTaps<A> &taps, Index n,
                             O *out, const Index *to, Prefetcher<X> &ahead) {
    for (Index r = 0; r < eight.n;) {
        Index o = eight.row[r];
        RowSource<X> rows = {x + input_row_offset(layout, eight.image[r], 0), layout.x_row, NO_RING};
        if (r + 1 < eight.n && taps.is_joint(o)) {
            sum_row_pair<false>(rows, taps.start[o], taps.start[o + 1], taps, o, out + to[r], out + to[r + 1], n,
                                ahead);
            r += 2;
        } else {
            ahead.advance(n);
            sum_row(rows, taps.start[o], taps, o, out + to[r], 0, n);
            r += 1;
        }
    }
}

}  // namespace sizewise::SIZEWISE_ISA
