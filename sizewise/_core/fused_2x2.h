// Both passes at once where an output reads 2 x 2 pixels at most: no row is kept in between. For 3, 4 or many channels.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

// One output row: where its pixels are read, and the weights of both axes. (On copies of it see `RowSource`.)
template <class X, class A> struct FusedRow {
    const X *x;  // the first of the two input rows
    Index stride, channels;
    A v0, v1;
    RowTaps<A> taps;
    Finish<A> finish;
};

// p and p + inner times i0 and i1, the same beside it at p + outer, and these two times o0 and o1: the sums of two
// passes, in their order. If EXACT, a weight of 0 adds nothing, not even 0 * NaN.
template <bool EXACT, class A, int N, class X>
INLINE Vec<A, N> sum_2x2(const X *p, Index inner, Index outer, A i0, A i1, A o0, A o1) {
    Vec<A, N> a = {}, b = {}, sum = {};
    if (!EXACT || i0 != 0) a = a + i0 * load<A, N>(p), b = b + i0 * load<A, N>(p + outer);
    if (!EXACT || i1 != 0) a = a + i1 * load<A, N>(p + inner), b = b + i1 * load<A, N>(p + outer + inner);
    if (!EXACT || o0 != 0) sum = sum + o0 * a;
    if (!EXACT || o1 != 0) sum = sum + o1 * b;
    return sum;
}
template <bool VERTICAL_FIRST, class A, int N, bool EXACT = false, class X>
INLINE Vec<A, N> sum_pixel(const FusedRow<X, A> &row, const X *p, Index channels, A h0, A h1) {
    if constexpr (VERTICAL_FIRST) return sum_2x2<EXACT, A, N>(p, row.stride, channels, row.v0, row.v1, h0, h1);
    else return sum_2x2<EXACT, A, N>(p, channels, row.stride, h0, h1, row.v0, row.v1);
}

// The first n pixels of 3 or 4 channels, a vector of four each; whether all of them are finite. With 3 channels the
// fourth lane belongs to the next pixel, which is written after. `next` is the first input row of the next output row.
template <int CHANNELS, bool VERTICAL_FIRST, class X, class A, class O>
NOINLINE bool fuse_few_channels(const FusedRow<X, A> &given, O *q, const X *next, Index n) {
    const FusedRow<X, A> row = given;
    Vec<A, 4> check = {};
    for (Index j = 0; j < n; j++) {
        Index at = row.taps.start[j] * CHANNELS;
        prefetch(next, at);
        prefetch(next, at + row.stride);
        A h0 = row.taps.weights[2 * j], h1 = row.taps.weights[2 * j + 1];
        Vec<A, 4> sum = sum_pixel<VERTICAL_FIRST, A, 4>(row, row.x + at, CHANNELS, h0, h1);
        check = check + sum * (A)0;
        store<A, 4>(q + j * CHANNELS, row.finish(sum));
    }
    return nan_lanes<A, 4>(check) == 0;
}

// One row of many channels, N lanes at a time; whether all of it is finite. Where only the first of the 2 x 2 pixels
// has a weight, as in most gradients, the others are not read.
template <int N, bool VERTICAL_FIRST, bool STREAM, class X, class A, class O>
NOINLINE bool fuse_many_channels(const FusedRow<X, A> &given, O *q) {
    const FusedRow<X, A> row = given;
    Index channels = row.channels;
    Vec<A, N> check = {}, zero = {};
    for (Index j = 0; j < row.taps.n; j++, q += channels) {
        const X *p = row.x + row.taps.start[j] * channels;
        A h0 = row.taps.weights[2 * j], h1 = row.taps.weights[2 * j + 1];
        A inner = VERTICAL_FIRST ? row.v0 : h0, outer = VERTICAL_FIRST ? h0 : row.v0;
        bool single = row.v1 == 0 && h1 == 0;
        for (Index i = 0; i < channels; i += N) {
            i = min(i, channels - N);
            Vec<A, N> sum;
            if (single) sum = zero + outer * (zero + inner * load<A, N>(p + i));
            else sum = sum_pixel<VERTICAL_FIRST, A, N>(row, p + i, channels, h0, h1);
            check = check + sum * (A)0;
            store_or_stream<STREAM, A, N>(q + i, row.finish(sum));
        }
    }
    return nan_lanes<A, N>(check) == 0;
}

// Pixels j and following, element by element.
template <bool VERTICAL_FIRST, class X, class A, class O>
NOINLINE void fuse_exact(const FusedRow<X, A> &row, Index j, O *q) {
    for (; j < row.taps.n; j++)
        for (Index c = 0; c < row.channels; c++) {
            const X *p = row.x + row.taps.start[j] * row.channels + c;
            A h0 = row.taps.weights[2 * j], h1 = row.taps.weights[2 * j + 1];
            const Vec<A, 1> sum = sum_pixel<VERTICAL_FIRST, A, 1, true>(row, p, row.channels, h0, h1);
            store<A, 1>(q + j * row.channels + c, row.finish(sum));
        }
}

template <bool VERTICAL_FIRST, class X, class O, class A> Status fuse_rows(const KernelArgs &args) {
    const Arrays<X, O> arrays(args);
    const Layout layout = arrays.layout;
    const BothTaps<A> taps(args.tables[0], args.tables[1]);
    const RowTaps<A> &v = taps.vertical;
    const HorizontalTaps<A> &h = taps.horizontal;
    const Index channels = h.channels;
    const Finish<A> finish = VERTICAL_FIRST ? h.undivided : v.undivided;
    RowCursor at(args.first, layout.rows_per_image);
    for (Index g = args.first; g < args.last; g++) {
        const Index o = at.row, base = input_row_offset(layout, at.image, v.start[o]);
        const FusedRow<X, A> row = {arrays.x + base, layout.x_row, channels, v.weights[2 * o], v.weights[2 * o + 1], h,
                                    finish};
        O *q = arrays.out + output_row_offset(layout, at);
        at.next();
        Index n = h.n;
        bool finite = false;
        if (layout.nontemporal && fills_lines(q, channels)) {
            finite = fuse_many_channels<WIDE<A>, VERTICAL_FIRST, true>(row, q);
        } else if (channels >= LANES) {
            finite = fuse_many_channels<LANES, VERTICAL_FIRST, false>(row, q);
        } else if (max(base, base + layout.x_row) + h.row_in() + 4 - channels <= args.x_size) {
            bool is_last = g + 1 == args.last || arrays.out + output_row_offset(layout, at) != q + 3 * n;
            if (channels == 3 && is_last) n--;  // nothing is written after its last pixel
            const X *next = address_of(arrays.x, input_row_offset(layout, at.image, v.start[at.row]));
            finite = channels == 3 ? fuse_few_channels<3, VERTICAL_FIRST>(row, q, next, n)
                                   : fuse_few_channels<4, VERTICAL_FIRST>(row, q, next, n);
        }
        if (!finite) n = 0;
        if (n < h.n) fuse_exact<VERTICAL_FIRST>(row, n, q);
    }
    if (layout.nontemporal) fence_streams();
    return DONE;
}

template <class X, class O, class A> Status fused_2x2(const KernelArgs &args) {
    return args.layout->vertical_first ? fuse_rows<true, X, O, A>(args) : fuse_rows<false, X, O, A>(args);
}

}  // namespace sizewise::SIZEWISE_ISA
