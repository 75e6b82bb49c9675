// Sums over rows: the vertical pass, and the horizontal one over many channels, where the rows are pixels.
//
// Every sum starts at +0 and adds in tap order, multiply then add, never fused. A weight of exactly 0 adds nothing, not
// even 0 * NaN.
#pragma once
#include "prefetch.h"

namespace sizewise::SIZEWISE_ISA {

constexpr Index NO_RING = (Index)1 << 62;

// The rows of one image, or a ring buffer of rows: row r begins at source[r % ring * stride].
template <class S> struct RowSource {
    const S *source;
    Index stride, ring = NO_RING;
};

// Whether n taps are summed in blocks. Sums of integers are exact in any order.
template <class A> INLINE bool is_long(Index n, Index sum_block) { return is_real<A> && n > sum_block; }

// One output row: the rows that it sums, and their weights. Made where it is used, and not passed on: a store might
// change what lies behind a reference, so that it would be loaded again for each vector, and loads that follow the
// stores of a copy closely are slow.
template <class S, class A> struct RowSum {
    const S *source, *p;  // the ring, and the first row
    Index stride, n_to_wrap, start, n, block;
    Finish<A> finish;
    const A *weights;
    bool is_plain;  // summed without a look at each row: no weight is 0, no row wraps around

    INLINE_MEMBER RowSum(const RowSource<S> &rows, const RowTaps<A> &taps, Index o)
        : source(rows.source), stride(rows.stride), start(taps.start[o]), n(taps.counts[o]), block(taps.sum_block),
          finish(taps.finish(o)), weights(taps.weights + o * taps.width) {
        Index row = start < rows.ring ? start : start % rows.ring;
        p = source + row * stride, n_to_wrap = rows.ring - row;
        is_plain = n <= n_to_wrap && (taps.flags[o] & NO_ZERO_WEIGHT);
    }
};

// A walk over rows at element i: along memory if it is PLAIN, else around the ring.
template <bool PLAIN, class S> struct RowWalk {
    const S *p, *first;
    Index stride, n_to_wrap;
    template <class A>
    INLINE_MEMBER RowWalk(const RowSum<S, A> &sum, Index i)
        : p(sum.p + i), first(sum.source + i), stride(sum.stride), n_to_wrap(sum.n_to_wrap) {}
    INLINE_MEMBER void next() {
        p += stride;
        if (!PLAIN && --n_to_wrap == 0) p = first;
    }
    template <class A> INLINE_MEMBER bool counts(A weight) const { return PLAIN || weight != 0; }
};

// Element i and following: one vector.
template <class A, int N, class S> INLINE Vec<A, N> sum_column(const RowSum<S, A> &sum, Index i) {
    Vec<A, N> total = {};
    RowWalk<false, S> walk(sum, i);
    for (Index k = 0; k < sum.n;) {
        Vec<A, N> block = {};
        for (Index end = min(k + sum.block, sum.n); k < end; k++, walk.next())
            if (sum.weights[k] != 0) block = block + sum.weights[k] * load<A, N>(walk.p);
        total = total + block;
    }
    return sum.finish(total);
}

// Four neighboring vectors.
template <class A, int N> struct Quad {
    Vec<A, N> v[4] = {};
    template <class S> INLINE_MEMBER static Quad at(const S *p) {
        return {load<A, N>(p), load<A, N>(p + N), load<A, N>(p + 2 * N), load<A, N>(p + 3 * N)};
    }
    INLINE_MEMBER void add(A weight, const Quad &x) {
        for (int i = 0; i < 4; i++) v[i] = v[i] + weight * x.v[i];
    }
    template <bool STREAM, class O> INLINE_MEMBER void put(O *q, const Finish<A> &finish) {
        if (finish.changes)
            for (int i = 0; i < 4; i++) v[i] = finish(v[i]);
        for (int i = 0; i < 4; i++) store_or_stream<STREAM, A, N>(q + i * N, v[i]);
    }
};

// A sum of quads; if it is LONG, in blocks.
template <bool LONG, class A, int N> struct QuadSum : Quad<A, N> {
    explicit QuadSum(Index) {}
    INLINE_MEMBER void next() {}
    INLINE_MEMBER void close() {}
};
template <class A, int N> struct QuadSum<true, A, N> : Quad<A, N> {
    Quad<A, N> total;
    Index n = 0, block;
    explicit QuadSum(Index sum_block) : block(sum_block) {}
    INLINE_MEMBER void next() {
        if (++n == block) close(), static_cast<Quad<A, N> &>(*this) = {}, n = 0;
    }
    INLINE_MEMBER void close() {
        for (int i = 0; i < 4; i++) this->v[i] = total.v[i] = total.v[i] + this->v[i];
    }
};

// Quads of one output; returns where they end.
template <bool LONG, bool STREAM, class S, class A, class O>
INLINE Index sum_quads(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, Index i, Index n) {
    const RowSum<S, A> sum(rows, taps, o);
    const auto sum_quad = [&]<bool PLAIN>(RowWalk<PLAIN, S> walk) {
        QuadSum<LONG, A, LANES> total(sum.block);
        for (Index k = 0; k < sum.n; k++, walk.next(), total.next())
            if (walk.counts(sum.weights[k])) total.add(sum.weights[k], Quad<A, LANES>::at(walk.p));
        total.close();
        total.template put<STREAM>(q + i, sum.finish);
    };
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        if (!LONG && sum.is_plain) sum_quad(RowWalk<true, S>(sum, i));
        else sum_quad(RowWalk<false, S>(sum, i));
    }
    return i;
}
template <class S, class A, class O>
NOINLINE Index sum_long_quads(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, Index i, Index n) {
    return sum_quads<true, false>(rows, taps, o, q, i, n);
}

// q[i] and following of output o, up to n. The last vector overlaps the one before: results are not read back.
template <bool STREAM, class S, class A, class O>
INLINE void sum_elements(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, Index i, Index n) {
    constexpr Index FOUR = 4 * LANES;
    const RowSum<S, A> sum(rows, taps, o);
    const A *w = sum.weights;
    if (n < LANES) {
        for (; i < n; i++) store<A, 1>(q + i, sum_column<A, 1>(sum, i));
        return;
    }
    if (sum.n == 2 && w[0] != 0 && w[1] != 0) {
        const S *p = sum.p, *r = sum.n_to_wrap > 1 ? p + sum.stride : sum.source;
        A w0 = w[0], w1 = w[1];
        for (; i + FOUR <= n; i += FOUR) {
            Quad<A, LANES> sums;
            sums.add(w0, Quad<A, LANES>::at(p + i));
            sums.add(w1, Quad<A, LANES>::at(r + i));
            sums.template put<STREAM>(q + i, sum.finish);
        }
    }
    i = is_long<A>(sum.n, sum.block) ? sum_long_quads(rows, taps, o, q, i, n)
                                     : sum_quads<false, STREAM>(rows, taps, o, q, i, n);
    for (; i < n; i += LANES) {
        i = min(i, n - LANES);
        store<A, LANES>(q + i, sum_column<A, LANES>(sum, i));
    }
}

// Outputs o and o + 1 together, to q and r, in full quads of wide vectors; returns where they end.
// The first may read rows before those that both read, and the second rows after. Rows that both read are loaded once.
template <bool LONG, bool STREAM, class S, class A, class O>
INLINE Index sum_quad_pairs(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, O *r, Index i, Index n,
                            Prefetcher &ahead) {
    constexpr int N = WIDE<A>;
    const RowSum<S, A> sum(rows, taps, o), other(rows, taps, o + 1);
    const Index before = other.start - sum.start, both = sum.n, after = before + other.n;
    const A *w = sum.weights, *v = other.weights - before;
    const bool is_plain = !LONG && sum.is_plain && other.is_plain && other.n_to_wrap == sum.n_to_wrap - before;
    const auto sum_quad = [&]<bool PLAIN>(RowWalk<PLAIN, S> walk) {
        QuadSum<LONG, A, N> a(sum.block), b(sum.block);
        Index k = 0;
        for (; k < before; k++, walk.next(), a.next())
            if (walk.counts(w[k])) a.add(w[k], Quad<A, N>::at(walk.p));
        for (; k < both; k++, walk.next(), a.next(), b.next()) {
            Quad<A, N> x = Quad<A, N>::at(walk.p);
            if (walk.counts(w[k])) a.add(w[k], x);
            if (walk.counts(v[k])) b.add(v[k], x);
        }
        for (; k < after; k++, walk.next(), b.next())
            if (walk.counts(v[k])) b.add(v[k], Quad<A, N>::at(walk.p));
        a.close(), b.close();
        a.template put<STREAM>(q + i, sum.finish);
        b.template put<STREAM>(r + i, other.finish);
    };
    for (; i + 4 * N <= n; i += 4 * N) {
        ahead.advance(8 * N);
        if (is_plain) sum_quad(RowWalk<true, S>(sum, i));
        else sum_quad(RowWalk<false, S>(sum, i));
    }
    return i;
}
template <class S, class A, class O>
NOINLINE Index sum_long_quad_pairs(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, O *r, Index i,
                                   Index n, Prefetcher &ahead) {
    return sum_quad_pairs<true, false>(rows, taps, o, q, r, i, n, ahead);
}

template <class S, class A, class O>
NOINLINE void sum_row(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, Index i, Index n) {
    sum_elements<false>(rows, taps, o, q, i, n);
}
// The same, bypassing the caches from the first full cache line on.
template <class S, class A, class O>
NOINLINE void sum_row_streamed(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, Index n) {
    Index begin = to_next_line(q);
    if (begin > 0) sum_row(rows, taps, o, q, 0, begin);
    sum_elements<true>(rows, taps, o, q, begin, n);
}
// Output o to q and o + 1 to r. Streamed, both must begin at one distance from a cache line.
template <bool STREAM, class S, class A, class O>
NOINLINE void sum_row_pair(const RowSource<S> &rows, const RowTaps<A> &taps, Index o, O *q, O *r, Index n,
                           Prefetcher &ahead) {
    const bool long_sums = is_long<A>(max(taps.counts[o], taps.counts[o + 1]), taps.sum_block);
    auto sum_both = [&](Index i, Index end) {
        if (i < end) sum_row(rows, taps, o, q, i, end), sum_row(rows, taps, o + 1, r, i, end);
    };
    Index begin = STREAM ? to_next_line(q) : 0;
    sum_both(0, begin);
    Index i = long_sums ? sum_long_quad_pairs(rows, taps, o, q, r, begin, n, ahead)
                        : sum_quad_pairs<false, STREAM>(rows, taps, o, q, r, begin, n, ahead);
    ahead.advance(2 * (n - i));
    sum_both(i, n);
}

// Elements of a row that eight output rows sum before they go on to the next elements: the input rows that two of them
// read are still in the second-level cache when the next two read them.
constexpr Index MAX_STRIP_BYTES = 3 << 18;
template <class X, class A> INLINE Index strip_length(const EightRows &eight, const RowTaps<A> &taps, Index n) {
    const Index o = eight.row[0], next = min(o + 1, taps.n - 1), unit = 4 * WIDE<A>;
    const Index n_rows = max(taps.counts[o], taps.start[next] + taps.counts[next] - taps.start[o]);
    const Index n_strips = max(ceil_div(n_rows * n * (Index)sizeof(X), MAX_STRIP_BYTES), (Index)1);
    return ceil_div(ceil_div(n, n_strips), unit) * unit;
}

// The vertical pass of up to eight output rows: n elements each, row r to out[to[r]].
template <class X, class A, class O>
NOINLINE void sum_eight_rows(const X *x, const Layout &layout, const EightRows &eight, const RowTaps<A> &taps, Index n,
                             O *out, const Index *to, Prefetcher &ahead) {
    for (Index i = 0, strip = strip_length<X>(eight, taps, n); i < n; i += strip) {
        strip = min(strip, n - i);
        for (Index r = 0; r < eight.n; r++) {
            const Index o = eight.row[r];
            const RowSource<X> rows = {x + input_row_offset(layout, eight.image[r], 0) + i, layout.x_row};
            if (r + 1 < eight.n && taps.is_joint(o)) {
                sum_row_pair<false>(rows, taps, o, out + to[r] + i, out + to[r + 1] + i, strip, ahead);
                r++;
            } else {
                ahead.advance(strip);
                sum_row(rows, taps, o, out + to[r] + i, 0, strip);
            }
        }
    }
}

}  // namespace sizewise::SIZEWISE_ISA
