// A ring buffer of rows after the horizontal pass, which the vertical pass reads: for images that grow.
#pragma once
#include "horizontal.h"

namespace sizewise::SIZEWISE_ISA {

enum { MIN_PAIR_ELEMENTS = 256 };  // of a row: shorter ones are summed faster one at a time

// The rows in the ring: an image and the first and last group of eight rows of it that were asked for last.
struct RingRange {
    Index image = -1, first = -1, last = -1;
    bool operator==(const RingRange &) const = default;
};

// Input row r of an image is kept in row r % n_rows of the ring, eight at a time, so that groups never wrap around.
template <class A, class M> struct RingBuffer {
    Index n_rows, stride;
    M *rows;
    Index *held;  // of each group of eight: the first row it holds, counted over all images
    A *transposed;
    RingRange range;

    // Rows for all taps of an output, or of two summed together.
    static Index rows_for(const RowTaps<A> &taps) {
        Index n = taps.width > 2 ? 2 * taps.width : taps.width;
        return ceil_div(n + 2 * (LANES - 1), LANES) * LANES;
    }
    static Index scratch_bytes(const BothTaps<A> &taps) {
        Index n = rows_for(taps.vertical);
        return Scratch::bytes<M>(n * padded_row_length(taps.horizontal.row_out())) + Scratch::bytes<Index>(n / LANES) +
            Scratch::bytes<A>(taps.horizontal.n_transposed());
    }
    RingBuffer(const BothTaps<A> &taps, Scratch &scratch)
        : n_rows(rows_for(taps.vertical)), stride(padded_row_length(taps.horizontal.row_out())),
          rows(scratch.take<M>(n_rows * stride)), held(scratch.take<Index>(n_rows / LANES)),
          transposed(scratch.take<A>(taps.horizontal.n_transposed())) {
        for (Index i = 0; i < n_rows / LANES; i++) held[i] = -1;
    }
    RowSource<M> source() const { return {rows, stride, n_rows}; }

    // Fill the ring with all rows that n output rows from `at` on read, and schedule the prefetch of the
    // next eight. `last` is where the output rows end, counted over all images.
    template <class X>
    INLINE_MEMBER void fill(const X *x, const Layout &layout, const RowCursor &at, Index n, Index last,
                            const BothTaps<A> &taps, Prefetcher &ahead) {
        const RowTaps<A> &v = taps.vertical;
        Index end = at.row + n - 1;
        // An output without taps ends before it begins: the shift rounds down where a division would round to 0.
        RingRange wanted = {at.image, v.start[at.row] / LANES, (v.start[end] + v.counts[end] - 1) >> 3};
        if (wanted == range) return;
        range = wanted;
        fill_groups(x, layout, last, taps, ahead);
    }

  private:
    template <class X>
    NOINLINE void fill_groups(const X *x, const Layout &layout, Index last, const BothTaps<A> &taps,
                              Prefetcher &ahead) {
        const RowTaps<A> &v = taps.vertical;
        Index h_in = v.n_in, from[LANES], to[LANES];
        for (Index row = range.first * LANES; row < (range.last + 1) * LANES; row += LANES) {
            Index slot = row % n_rows;
            if (held[slot / LANES] == range.image * h_in + row) continue;
            held[slot / LANES] = range.image * h_in + row;
            Index count = min((Index)LANES, h_in - row);
            for (Index r = 0; r < LANES; r++) {
                Index near = min(r, count - 1);
                from[r] = input_row_offset(layout, range.image, row + near), to[r] = (slot + near) * stride;
            }
            horizontal(x, from, count, taps.horizontal, transposed, rows, to, ahead);
        }
        Index image = range.image, row = (range.last + 1) * LANES;
        if (row >= h_in) image++, row = 0;
        Index count = min((Index)LANES, h_in - row), n_made = ceil_div(LANES * v.n, h_in) * taps.horizontal.row_out();
        if (image * v.n < last)
            ahead.schedule(input_row_offset(layout, image, row), layout.x_row, taps.horizontal.row_in(), count, n_made);
    }
};

}  // namespace sizewise::SIZEWISE_ISA
