// Entry points of the passes over one axis or two. tables: packed integers, packed weights (see `taps.h`).
#pragma once
#include "ring_buffer.h"
#include "write_combining.h"

namespace sizewise::SIZEWISE_ISA {

template <class X, class O, class A> Status vertical_only(const KernelArgs &args) {
    const X *x = (const X *)args.x;
    O *out = (O *)args.out;
    const Layout &layout = *args.layout;
    RowTaps<A> taps((const Index *)args.tables[0].data, (const A *)args.tables[1].data);
    Prefetcher<X> ahead(x);
    RowCursor at(args.first, layout.rows_per_image);
    Index row = layout.row_length;
    for (Index g = args.first; g < args.last; g += LANES) {
        EightRows eight(at, args.last - g, layout);
        ahead.schedule_next_rows(layout, at, args.last - g - LANES, taps, row, LANES * row);
        sum_eight_rows(x, layout, eight, taps, row, out, eight.output, ahead);
    }
    return DONE;
}

template <class X, class O, class A> Status horizontal_only(const KernelArgs &args) {
    const X *x = (const X *)args.x;
    O *out = (O *)args.out;
    const Layout &layout = *args.layout;
    RowTaps<A> taps((const Index *)args.tables[0].data, (const A *)args.tables[1].data);
    BlockedTaps<A> blocks((const Index *)args.tables[0].data, (const A *)args.tables[1].data);
    Index n_transposed = transpose_scratch_size(taps, blocks), n = layout.rows_per_image;
    Scratch scratch(Scratch::bytes<A>(n_transposed));
    if (scratch.failed()) return NO_MEMORY;
    A *transposed = scratch.take<A>(n_transposed);
    Prefetcher<X> ahead(x);
    RowCursor at(args.first, n);
    Index from[LANES];
    for (Index g = args.first; g < args.last; g += LANES) {
        EightRows eight(at, args.last - g, layout);
        for (Index r = 0; r < LANES; r++) from[r] = input_row_offset(layout, eight.image[r], eight.row[r]);
        Index n_next = min(min((Index)LANES, args.last - g - LANES), n - at.row);
        ahead.schedule(input_row_offset(layout, at.image, at.row), layout.x_row, taps.n_in * taps.channels, n_next,
                       LANES * taps.n * taps.channels);
        horizontal(x, from, eight.n, taps, blocks, transposed, out, eight.output, ahead);
    }
    return DONE;
}

// Eight output rows are summed into a buffer, then go through the horizontal pass. M is the type of the buffer.
template <class X, class O, class A, class M> Status vertical_first(const KernelArgs &args) {
    const X *x = (const X *)args.x;
    O *out = (O *)args.out;
    const Layout &layout = *args.layout;
    BothTaps<A> taps(args.tables[0], args.tables[1]);
    Index row_in = taps.row_in(), row_out = taps.row_out(), stride = padded_row_length(row_in);
    Index n_transposed = transpose_scratch_size(taps.horizontal, taps.blocks);
    Scratch scratch(Scratch::bytes<M>(LANES * stride) + Scratch::bytes<A>(n_transposed));
    if (scratch.failed()) return NO_MEMORY;
    M *buffer = scratch.take<M>(LANES * stride);
    A *transposed = scratch.take<A>(n_transposed);
    Prefetcher<X> ahead(x);
    RowCursor at(args.first, layout.rows_per_image);
    Index from[LANES];
    for (Index g = args.first; g < args.last; g += LANES) {
        EightRows eight(at, args.last - g, layout);
        for (Index r = 0; r < LANES; r++) from[r] = min(r, eight.n - 1) * stride;
        ahead.schedule_next_rows(layout, at, args.last - g - LANES, taps.vertical, row_in, LANES * (row_in + row_out));
        sum_eight_rows(x, layout, eight, taps.vertical, row_in, buffer, from, ahead);
        horizontal(buffer, from, eight.n, taps.horizontal, taps.blocks, transposed, out, eight.output, ahead);
    }
    return DONE;
}

// 2 if an output row is summed together with the next, else 1. Rows that are streamed must begin at one distance from a
// cache line.
template <class O, class A>
INLINE Index rows_at_once(const O *q, const O *next, Index left, const RowTaps<A> &taps, Index o, Index n, bool streams) {
    if (left < 2 || n < MIN_PAIR_ELEMENTS || !taps.is_joint(o)) return 1;
    return !streams || to_next_line(q) == to_next_line(next) ? 2 : 1;
}

// Input rows go through the horizontal pass into a ring buffer, eight at a time; output rows are sums over the ring.
template <class X, class O, class A, class M> Status horizontal_first(const KernelArgs &args) {
    const X *x = (const X *)args.x;
    O *out = (O *)args.out;
    const Layout &layout = *args.layout;
    BothTaps<A> taps(args.tables[0], args.tables[1]);
    const RowTaps<A> &v = taps.vertical;
    Index row_out = taps.row_out(), n_staged = padded_row_length(row_out) + LINE<O>;
    Scratch scratch(RingBuffer<A, M>::scratch_bytes(taps) + 2 * Scratch::bytes<O>(n_staged) + WriteCombiner<O>::scratch_bytes());
    if (scratch.failed()) return NO_MEMORY;
    RingBuffer<A, M> ring(taps, scratch);
    O *staged = scratch.take<O>(n_staged), *staged_next = scratch.take<O>(n_staged);
    WriteCombiner<O> combiner(scratch);
    RowSource<M> rows = {ring.rows, ring.stride, ring.n_rows};
    Prefetcher<X> ahead(x);
    RowCursor at(args.first, layout.rows_per_image);
    for (Index g = args.first, n; g < args.last; g += n) {
        RowCursor at_next = at.following();
        Index o = at.row, q = output_row_offset(layout, at), q_next = output_row_offset(layout, at_next);
        bool streams = use_nontemporal(layout, out + q, row_out);
        bool combines = !streams && use_write_combining<O>(layout, row_out);
        n = rows_at_once(out + q, out + q_next, args.last - g, v, o, row_out, streams);
        ring.fill(x, layout, at, n, args.last, taps, ahead);
        Index row = v.start[o] % ring.n_rows;
        O *target = combines ? staged : out + q;
        if (n == 2) {
            Index next = v.start[o + 1] % ring.n_rows;
            O *target_next = combines ? staged_next : out + q_next;
            if (streams) sum_row_pair<true>(rows, row, next, v, o, target, target_next, row_out, ahead);
            else sum_row_pair<false>(rows, row, next, v, o, target, target_next, row_out, ahead);
        } else {
            ahead.advance(row_out);
            if (streams) sum_row_streamed(rows, row, v, o, target, row_out);
            else sum_row(rows, row, v, o, target, 0, row_out);
        }
        if (combines) {
            combiner.stream_unaligned_row(staged, row_out, out, q);
            if (n == 2) combiner.stream_unaligned_row(staged_next, row_out, out, q_next);
        }
        at = n == 2 ? at_next.following() : at_next;
    }
    combiner.flush_tail(out);
    if (layout.nontemporal) fence_streams();
    return DONE;
}

}  // namespace sizewise::SIZEWISE_ISA
