// Packed taps and row offsets, as `engine/packing.py` writes them; and scratch memory.
#pragma once
#include <stdlib.h>

#include "simd.h"

namespace sizewise::SIZEWISE_ISA {

// Header of a packed axis; behind it: start[n], counts[n], flags[n], then the integers of its blocks.
enum { N_IN, N_OUT, WIDTH, CHANNELS, N_BLOCKS, ADD, SHIFT, DIVIDES, SUM_BLOCK, HEADER };

enum Flag { JOINT = 1, NO_ZERO_WEIGHT = 2 };

// How a sum becomes an output. Fixed point: (sum + add) >> shift. Floating: divided, if the output is a mean; and where
// integers are made of sums of double, rounded to `shift` fractional bits, which adding and subtracting `snap` does.
template <class A> struct Finish {
    Index add, shift;
    A divisor = 1, snap = 0;
    bool changes;  // anything at all
    Finish(Index added, Index shifted) : add(added), shift(shifted), changes(!is_real<A> || shift > 0) {
        if constexpr (same<A, double>) snap = shift > 0 ? 1.5 * (double)((Index)1 << (52 - shift)) : 0;
    }
    INLINE_MEMBER Finish divided(A by) const {
        Finish other = *this;
        other.divisor = by, other.changes |= by != 1;
        return other;
    }
    template <class V> INLINE_MEMBER V operator()(V sum) const {
        if constexpr (!is_real<A>) return (sum + (A)add) >> (A)shift;
        if (!changes) return sum;
        sum = sum / divisor;
        return same<A, double> && snap != 0 ? (sum + snap) - snap : sum;
    }
};

// Output o reads counts[o] rows (or pixels) from start[o] on, with weights[o * width + k]; if there are divisors, the
// sum is divided by divisors[o]. Where flags[o] has JOINT, outputs o and o + 1 are summed together, so that rows both
// read are loaded once. Taps are summed by blocks of sum_block, and then these: errors grow with the length of a sum.
template <class A> struct RowTaps {
    Index n_in, n, width, channels, sum_block;
    Finish<A> undivided;
    const Index *start, *counts, *flags;
    const A *weights, *divisors;
    RowTaps(const Table &i, const Table &w) : RowTaps((const Index *)i.data, (const A *)w.data) {}
    RowTaps(const Index *index, const A *w)
        : n_in(index[N_IN]), n(index[N_OUT]), width(index[WIDTH]), channels(index[CHANNELS]),
          sum_block(index[SUM_BLOCK]), undivided(index[ADD], index[SHIFT]), start(index + HEADER), counts(start + n),
          flags(counts + n), weights(w), divisors(index[DIVIDES] ? w + n * width : nullptr) {}
    INLINE_MEMBER bool is_joint(Index o) const { return flags[o] & JOINT; }
    INLINE_MEMBER Finish<A> finish(Index o) const { return divisors ? undivided.divided(divisors[o]) : undivided; }
};

// The same taps for eight transposed rows, eight neighboring elements of the result at a time: block b makes elements
// first[b] .. first[b] + 7; its eight windows begin at offset[8 b + a] of the transposed rows, are depth[b] taps deep
// (shorter ones padded with weight 0), and have their weights at table[weights_at[b] + 8 k + a]. If the axis has
// divisors, those of the eight are before these.
template <class A> struct BlockedTaps {
    Index n;
    const Index *first, *offset, *depth, *weights_at;
    const A *table;
    BlockedTaps(const Index *index, const A *w)
        : n(index[N_BLOCKS]), first(index + HEADER + 3 * index[N_OUT]), offset(first + n), depth(offset + LANES * n),
          weights_at(depth + n), table(w + index[N_OUT] * (index[WIDTH] + index[DIVIDES])) {}
};
template <class A> struct HorizontalTaps : RowTaps<A> {
    BlockedTaps<A> blocks;
    HorizontalTaps(const Table &i, const Table &w) : HorizontalTaps((const Index *)i.data, (const A *)w.data) {}
    HorizontalTaps(const Index *index, const A *w) : RowTaps<A>(index, w), blocks(index, w) {}
    Index row_in() const { return this->n_in * this->channels; }
    Index row_out() const { return this->n * this->channels; }
    // Elements of scratch memory: windows that are padded may end behind the row.
    Index n_transposed() const { return blocks.n > 0 ? LANES * (row_in() + this->width * this->channels) : 0; }
};

// Both axes. index[0] and index[1] are the offsets of the horizontal one among integers and weights.
template <class A> struct BothTaps {
    RowTaps<A> vertical;
    HorizontalTaps<A> horizontal;
    BothTaps(const Table &i, const Table &w) : BothTaps((const Index *)i.data, (const A *)w.data) {}
    BothTaps(const Index *index, const A *w) : vertical(index + 2, w), horizontal(index + index[0], w + index[1]) {}
};

// Both axes in fixed point. Output row o reads n_taps rows first_row[o], first_row[o] + row_step, ..., clamped to the
// image; pixel j has h_taps taps from element offsets[j] of a row on. `pairs` holds the weights of `h_weights` in the
// order in which they are loaded: see each function. Elements 16 g .. 16 g + 15 of a row are shuffled from the 64 bytes
// that begin at element windows[g].
struct FixedPointHeader {
    Index h_in, n_taps, row_step, v_add, v_shift, h_add, h_shift, row_in, channels, h_taps, h_out, w_out;
};
enum { FIXED_POINT_HEADER = sizeof(FixedPointHeader) / sizeof(Index) };
struct FixedPointTaps : FixedPointHeader {
    const Index row_out = w_out * channels;
    const Index *first_row, *offsets = first_row + h_out, *windows = offsets + w_out;
    const int16_t *h_weights, *pairs = h_weights + w_out * h_taps;
    Index n_windows, n_pairs;
    FixedPointTaps(const Table &index, const Table &across)
        : FixedPointHeader(*(const FixedPointHeader *)index.data),
          first_row((const Index *)index.data + FIXED_POINT_HEADER), h_weights((const int16_t *)across.data),
          n_windows(index.size - (windows - (const Index *)index.data)), n_pairs(across.size - w_out * h_taps) {}
    INLINE_MEMBER Index clamp_row(Index row) const { return min(max(row, (Index)0), h_in - 1); }
};

template <class X, class O> struct Arrays {
    const X *x;
    O *out;
    const Layout &layout;
    explicit Arrays(const KernelArgs &args) : x((const X *)args.x), out((O *)args.out), layout(*args.layout) {}
};

// An output row: its image, and which row of it. Counted up, since divisions take longer than short rows.
struct RowCursor {
    Index image, row, rows_per_image;
    RowCursor(Index g, Index n) : image(g / n), row(g % n), rows_per_image(n) {}
    INLINE_MEMBER void next() {
        if (++row == rows_per_image) row = 0, image++;
    }
    INLINE_MEMBER RowCursor following() const {
        RowCursor other = *this;
        other.next();
        return other;
    }
};

// Offset of an input row of the image that an output row belongs to, and of the output row.
INLINE Index input_row_offset(const Layout &layout, Index image, Index row) {
    return layout.x_base + image * layout.x_image + row * layout.x_row;
}
INLINE Index output_row_offset(const Layout &layout, const RowCursor &at) {
    return layout.out_base + at.image * layout.out_image + at.row * layout.out_row;
}

// Up to eight output rows at a time; if there are fewer, the last is repeated.
struct EightRows {
    RowCursor at;  // behind them
    Index left;    // of those behind them
    Index n = 0, image[LANES], row[LANES], output[LANES];

    explicit EightRows(const KernelArgs &args)
        : at(args.first, args.layout->rows_per_image), left(args.last - args.first) {}
    // Take the next rows; false if there are none.
    INLINE_MEMBER bool next(const Layout &layout) {
        n = n_next(), left -= n;
        if (n == 0) return false;
        for (Index r = 0; r < n; r++, at.next())
            image[r] = at.image, row[r] = at.row, output[r] = output_row_offset(layout, at);
        for (Index r = n; r < LANES; r++) image[r] = image[n - 1], row[r] = row[n - 1], output[r] = output[n - 1];
        return true;
    }
    Index n_next() const { return min((Index)LANES, left); }
};

enum { MIN_STREAM_BYTES = 8192 };  // of a row that fills no cache lines

template <class T> INLINE bool use_nontemporal(const Layout &layout, const T *q, Index n) {
    return layout.nontemporal && (n * (Index)sizeof(T) >= MIN_STREAM_BYTES || fills_lines(q, n));
}
template <class T> INLINE bool use_write_combining(const Layout &layout, Index n) {
    return layout.nontemporal && n >= LINE<T>;
}

// Row length of scratch rows: an odd number of cache lines of float32, since power-of-two strides cause cache-set
// conflicts between the eight rows that are read together.
INLINE Index padded_row_length(Index row) { return (ceil_div(row, 2 * LANES) | 1) * 2 * LANES; }

#if defined(SIZEWISE_CHECKED)
#include "../../tests/core/checked_scratch.h"
#else
// One block of memory, handed out in pieces that begin with a cache line.
class Scratch {
    char *block, *next;

  public:
    template <class T> static Index bytes(Index n) { return ceil_div(n * (Index)sizeof(T), CACHE_LINE) * CACHE_LINE; }
    explicit Scratch(Index n_bytes) : block((char *)malloc((size_t)n_bytes + CACHE_LINE)) {
        next = (char *)(((uintptr_t)block + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
    }
    ~Scratch() { free(block); }
    Scratch(const Scratch &) = delete;
    bool failed() const { return !block; }
    template <class T> T *take(Index n) {
        T *taken = (T *)next;
        next += bytes<T>(n);
        return taken;
    }
};
#endif

}  // namespace sizewise::SIZEWISE_ISA
