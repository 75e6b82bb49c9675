// Entry points of the passes over one axis or two. tables: packed integers, packed weights (see `taps.h`).
#pragma once
#include "ring_buffer.h"
#include "verified_float32.h"
#include "write_combining.h"

namespace sizewise::SIZEWISE_ISA {

template <class X, class O, class A> Status vertical_only(const KernelArgs &args) {
    const Arrays<X, O> at(args);
    const RowTaps<A> taps(args.tables[0], args.tables[1]);
    const Index row = at.layout.row_length;
    Prefetcher ahead(at.x);
    for (EightRows eight(args); eight.next(at.layout);) {
        ahead.schedule_next_rows(at.layout, eight, taps, row, LANES * row);
        sum_eight_rows(at.x, at.layout, eight, taps, row, at.out, eight.output, ahead);
    }
    return DONE;
}

template <class X, class O, class A> Status horizontal_only(const KernelArgs &args) {
    const Arrays<X, O> at(args);
    const HorizontalTaps<A> taps(args.tables[0], args.tables[1]);
    Scratch scratch(Scratch::bytes<A>(taps.n_transposed()));
    if (scratch.failed()) return NO_MEMORY;
    A *transposed = scratch.take<A>(taps.n_transposed());
    Prefetcher ahead(at.x);
    Index from[LANES];
    for (EightRows eight(args); eight.next(at.layout);) {
        for (Index r = 0; r < LANES; r++) from[r] = input_row_offset(at.layout, eight.image[r], eight.row[r]);
        Index n_next = min(eight.n_next(), at.layout.rows_per_image - eight.at.row);
        ahead.schedule(input_row_offset(at.layout, eight.at.image, eight.at.row), at.layout.x_row, taps.row_in(),
                       n_next, LANES * taps.row_out());
        horizontal(at.x, from, eight.n, taps, transposed, at.out, eight.output, ahead);
    }
    return DONE;
}

// Eight output rows are summed into a buffer, then go through the horizontal pass. M is the type of the buffer.
template <class X, class O, class A, class M, bool VERIFIES = false> Status vertical_first(const KernelArgs &args) {
    const Arrays<X, O> at(args);
    const BothTaps<A> taps(args.tables[0], args.tables[1]);
    const Index row_in = taps.horizontal.row_in(), row_out = taps.horizontal.row_out();
    const Index stride = padded_row_length(row_in), n_transposed = taps.horizontal.n_transposed();
    const Index stride_out = VERIFIES ? padded_row_length(row_out) : 0;
    Scratch scratch(Scratch::bytes<M>(LANES * stride) + Scratch::bytes<A>(n_transposed) +
                    Scratch::bytes<A>(LANES * stride_out));
    if (scratch.failed()) return NO_MEMORY;
    M *buffer = scratch.take<M>(LANES * stride);
    A *transposed = scratch.take<A>(n_transposed), *sums = scratch.take<A>(LANES * stride_out);
    [[maybe_unused]] const VerifierIf<VERIFIES> verifier(args, true);
    Prefetcher ahead(at.x);
    Index from[LANES], to[LANES];
    for (EightRows eight(args); eight.next(at.layout);) {
        for (Index r = 0; r < LANES; r++) {
            from[r] = min(r, eight.n - 1) * stride;
            to[r] = min(r, eight.n - 1) * stride_out;
        }
        ahead.schedule_next_rows(at.layout, eight, taps.vertical, row_in, LANES * (row_in + row_out));
        sum_eight_rows(at.x, at.layout, eight, taps.vertical, row_in, buffer, from, ahead);
        if constexpr (VERIFIES) {
            horizontal(buffer, from, eight.n, taps.horizontal, transposed, sums, to, ahead);
            for (Index r = 0; r < eight.n; r++)
                verifier.round_or_recompute(sums + to[r], row_out, eight.image[r], eight.row[r], eight.output[r]);
        } else {
            horizontal(buffer, from, eight.n, taps.horizontal, transposed, at.out, eight.output, ahead);
        }
    }
    return DONE;
}

// 2 if an output row is summed together with the next, else 1. Rows that are streamed must begin at one distance from a
// cache line.
template <class O, class A>
INLINE Index rows_at_once(const O *q, const O *next, Index left, const RowTaps<A> &taps, Index o, Index n,
                          bool streams) {
    if (left < 2 || n < MIN_PAIR_ELEMENTS || !taps.is_joint(o)) return 1;
    return !streams || to_next_line(q) == to_next_line(next) ? 2 : 1;
}

// Input rows go through the horizontal pass into a ring buffer, eight at a time; output rows are sums over the ring.
template <class X, class O, class A, class M, bool VERIFIES = false> Status horizontal_first(const KernelArgs &args) {
    using T = std::conditional_t<VERIFIES, A, O>;
    const Arrays<X, T> arrays(args);
    const Layout &layout = arrays.layout;
    const BothTaps<A> taps(args.tables[0], args.tables[1]);
    const RowTaps<A> &v = taps.vertical;
    const Index row_out = taps.horizontal.row_out(), n_staged = padded_row_length(row_out) + LINE<T>;
    Scratch scratch(RingBuffer<A, M>::scratch_bytes(taps) + 2 * Scratch::bytes<T>(n_staged) +
                    WriteCombiner<T>::scratch_bytes());
    if (scratch.failed()) return NO_MEMORY;
    RingBuffer<A, M> ring(taps, scratch);
    T *staged[] = {scratch.take<T>(n_staged), scratch.take<T>(n_staged)};
    WriteCombiner<T> combiner(scratch);
    const RowSource<M> rows = ring.source();
    [[maybe_unused]] const VerifierIf<VERIFIES> verifier(args, false);
    Prefetcher ahead(arrays.x);
    RowCursor at(args.first, layout.rows_per_image);
    for (Index g = args.first, n; g < args.last; g += n) {
        const RowCursor both[] = {at, at.following()};
        const Index o = at.row, q[] = {output_row_offset(layout, both[0]), output_row_offset(layout, both[1])};
        T *target[] = {arrays.out + q[0], arrays.out + q[1]};
        bool streams = !VERIFIES && use_nontemporal(layout, target[0], row_out);
        bool combines = !VERIFIES && !streams && use_write_combining<T>(layout, row_out);
        n = rows_at_once(target[0], target[1], args.last - g, v, o, row_out, streams);
        ring.fill(arrays.x, layout, at, n, args.last, taps, ahead);
        if (VERIFIES || combines) target[0] = staged[0], target[1] = staged[1];
        if (n == 2) {
            if (streams) sum_row_pair<true>(rows, v, o, target[0], target[1], row_out, ahead);
            else sum_row_pair<false>(rows, v, o, target[0], target[1], row_out, ahead);
        } else {
            ahead.advance(row_out);
            if (streams) sum_row_streamed(rows, v, o, target[0], row_out);
            else sum_row(rows, v, o, target[0], 0, row_out);
        }
        for (Index r = 0; r < n; r++, at.next()) {
            if constexpr (VERIFIES) verifier.round_or_recompute(staged[r], row_out, at.image, at.row, q[r]);
            else if (combines) combiner.stream_unaligned_row(staged[r], row_out, arrays.out, q[r]);
        }
    }
    combiner.flush_tail(arrays.out);
    if (layout.nontemporal) fence_streams();
    return DONE;
}

// In float32 (M), as if in float64: see `verified_float32.h`.
template <class X, class O, class A, class M> Status vertical_first_verified(const KernelArgs &args) {
    return vertical_first<X, O, M, M, true>(args);
}
template <class X, class O, class A, class M> Status horizontal_first_verified(const KernelArgs &args) {
    return horizontal_first<X, O, M, M, true>(args);
}

}  // namespace sizewise::SIZEWISE_ISA
