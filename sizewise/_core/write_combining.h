// Write-combining buffer: stream unaligned rows as full cache lines.
//
// Streaming a part of a cache line is slow, and of short rows, or of rows whose length is no multiple of a
// line, most would be. So rows are written to a buffer; the tail behind the last full line waits, and is stored with
// the first elements of the next row if that begins where this one ends.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

template <class T> struct WriteCombiner {
    T *tail, *other_tail;         // two cache lines each: the second for what a whole-line copy writes beyond the first
    Index end = -1, pending = 0;  // where in `out` the row of the tail ends, and how many elements wait

    static Index scratch_bytes() { return 4 * CACHE_LINE; }
    explicit WriteCombiner(Scratch &scratch)
        : tail(scratch.take<T>(2 * LINE<T>)), other_tail(scratch.take<T>(2 * LINE<T>)) {}

    // out[q] .. = p[0] .., n elements, at least a cache line; behind them p must be readable for a line more.
    NOINLINE void stream_unaligned_row(const T *p, Index n, T *out, Index q) {
        Index begin = to_next_line(out + q), i = begin;
        bool joins = end == q && begin > 0;
        if (joins) {
            memcpy((void *)(tail + LINE<T> - begin), p, CACHE_LINE);
        } else if (end != q) {
            flush_tail(out);
            memcpy((void *)(out + q), p, (size_t)begin * sizeof(T));
        }
        for (; i + LINE<T> <= n; i += LINE<T>) stream_line(p + i, out + q + i);
        memcpy((void *)other_tail, p + i, CACHE_LINE);
        // Last, since a line that was just put together from two stores cannot be loaded at once.
        if (joins) stream_line(tail, out + q + begin - LINE<T>);
        T *filled = other_tail;
        other_tail = tail, tail = filled;
        end = q + n, pending = n - i;
    }
    void flush_tail(T *out) {
        if (pending > 0) memcpy((void *)(out + end - pending), tail, (size_t)pending * sizeof(T));
        pending = 0;
    }
};

}  // namespace sizewise::SIZEWISE_ISA
