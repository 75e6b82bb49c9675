// Software prefetch of the rows that the next eight output rows read, spread evenly over the work on the current ones.
//
// Without it memory and arithmetic take turns: rows are fetched when the first sum needs them, and nothing is fetched
// while they are summed. They go to the second-level cache; the first is too small for eight more rows.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

enum { PREFETCH_UNIT = 64 };                   // output elements that go with `rate` prefetched lines
constexpr Index MAX_PREFETCH_BYTES = 1 << 18;  // what a second-level cache holds beside the current rows

// Counts bytes, so that functions which only pass it on or advance it are compiled once for all types of x.
struct Prefetcher {
    const char *x;
    Index item_bytes, begin = 0, at = 0, rows_left = 0, row = 0, stride = 0, rate = 0;

    template <class T> explicit Prefetcher(const T *base) : x((const char *)base), item_bytes(sizeof(T)) {}

    // Prefetch the share of the schedule that goes with n_made output elements.
    INLINE_MEMBER void advance(Index n_made) {
        Index n = (n_made * rate + PREFETCH_UNIT - 1) / PREFETCH_UNIT;
        while (n > 0 && rows_left > 0) {
            prefetch(x, begin + at);
            n--;
            at += CACHE_LINE;
            if (at >= row) begin += stride, at = 0, rows_left--;
        }
    }
    // Schedule n_rows rows of x from element `first` on, to be prefetched while n_made elements are made.
    void schedule(Index first, Index row_stride, Index row_length, Index n_rows, Index n_made) {
        begin = first * item_bytes, at = 0, row = row_length * item_bytes, stride = row_stride * item_bytes;
        rows_left = n_rows = min(n_rows, MAX_PREFETCH_BYTES / row);
        if (n_rows > 0) rate = ceil_div(n_rows * ceil_div(row, CACHE_LINE) * PREFETCH_UNIT, n_made);
    }
    // Schedule the rows that the output rows behind `eight` read, and those before do not.
    template <class A>
    void schedule_next_rows(const Layout &layout, const EightRows &eight, const RowTaps<A> &taps, Index row_length,
                            Index n_made) {
        Index o = eight.at.row, n = min(eight.n_next(), taps.n - o);  // of one image
        rows_left = 0;
        if (n <= 0) return;
        Index row_first = taps.start[o], row_end = taps.start[o + n - 1] + taps.counts[o + n - 1];
        if (o > 0) row_first = max(row_first, taps.start[o - 1] + taps.counts[o - 1]);
        Index first = input_row_offset(layout, eight.at.image, row_first);
        schedule(first, layout.x_row, row_length, row_end - row_first, n_made);
    }
};

}  // namespace sizewise::SIZEWISE_ISA
