// Both axes of uint8 images in fixed point, where rounding between the passes is part of the result.
//
// The horizontal pass fills a ring buffer of scratch rows; the vertical pass sums those that an output row reads. Rows
// beyond the edge of an image are separate taps of the edge row, since two roundings are not one.
//
// Tables: 0 the packed index (int64), 1 horizontal weights and pairs (int16), 2 vertical weights (of the type of the
// sums), 3 vertical weights again in int32 for the last elements of a row that fill no vector of eight, or empty.
// The parameter is the gain: int32 sums are multiplied by it as float32, unless it is 0.
#pragma once
#include "byte_shuffle.h"

namespace sizewise::SIZEWISE_ISA {

// Scratch rows, kept in groups of ROWS rows whose first is a multiple of ROWS; groups[slot] says which group a slot
// holds, counted over all images. `lines` are the rows that the current output row reads.
template <class T, int ROWS> struct FixedPointRing {
    Index n_groups, pitch;
    Index *groups;
    const T **lines;
    T *rows;

    // Return how many groups n successive rows touch at most.
    static Index groups_of(Index n) { return (n + ROWS - 2) / ROWS + 1; }
    // An odd number of cache lines, since power-of-two strides cause cache-set conflicts. A pixel of three channels is
    // stored as four elements, of which the last may lie behind the row.
    static Index pitch_of(Index row) { return (ceil_div(row + LANES, LINE<T>) | 1) * LINE<T>; }
    static Index bytes_of(const FixedPointTaps &t) {
        Index n = groups_of(t.n_taps), n_elements = n * ROWS * pitch_of(t.row_out);
        return Scratch::bytes<Index>(n) + Scratch::bytes<T *>(t.n_taps) + Scratch::bytes<T>(n_elements);
    }
    FixedPointRing(const FixedPointTaps &t, Scratch &scratch)
        : n_groups(groups_of(t.n_taps)), pitch(pitch_of(t.row_out)), groups(scratch.take<Index>(n_groups)),
          lines(scratch.take<const T *>(t.n_taps)), rows(scratch.take<T>(n_groups * ROWS * pitch)) {
        for (Index slot = 0; slot < n_groups; slot++) groups[slot] = -1;
    }

    // Set `lines` to the rows that output row o of image n reads. Missing rows are filled by HORIZONTAL,
    // and the pixels that it leaves one by one.
    template <auto HORIZONTAL> void fill(const KernelArgs &args, const FixedPointTaps &t, Index n, Index o) {
        const Layout &layout = *args.layout;
        for (Index k = 0; k < t.n_taps; k++) {
            Index row = t.clamp_row(t.first_row[o] + t.row_step * k);
            Index group = row / ROWS, slot = group % n_groups;
            lines[k] = rows + (slot * ROWS + row % ROWS) * pitch;
            if (groups[slot] == n * t.h_in + group) continue;
            groups[slot] = n * t.h_in + group;
            const uint8_t *from[ROWS];
            T *to[ROWS];
            Index left = args.x_size;
            for (Index r = 0; r < ROWS; r++) {
                Index here = min(r, t.h_in - 1 - group * ROWS);  // behind the image: its last row again
                Index offset = input_row_offset(layout, n, group * ROWS + here);
                from[r] = (const uint8_t *)args.x + offset;
                to[r] = rows + (slot * ROWS + here) * pitch;
                left = min(left, args.x_size - offset);
            }
            Index done = HORIZONTAL(from, left, t, to);
            for (int r = 0; r < ROWS && done < t.w_out; r++) sum_pixels_exactly(from[r], t, to[r], done);
        }
    }
};

INLINE uint8_t clamp_to_byte(int64_t sum) { return (uint8_t)(sum < 0 ? 0 : min(sum, (int64_t)255)); }

// weight * v; of int16 the upper half (x86: pmulhw).
template <class A, int N> INLINE Vec<A, N> product(A weight, Vec<A, N> v) {
    auto weights = broadcast<Vec<A, N>>(weight);
    if constexpr (same<A, int16_t>) {
        using Wide = Ints<N>;
        return convert<Vec<A, N>>((convert<Wide>(weights) * convert<Wide>(v)) >> 16);
    } else {
        return weights * v;
    }
}

// Scratch rows and weights of an output row. Where their number is known they are copied: otherwise the compiler must
// load them again after every store of uint8.
template <class A, class T, int TAPS> struct OutputRow {
    const T *own_lines[TAPS + 1], *const *any_lines;
    A own_weights[TAPS + 1];
    const A *any_weights;
    Index taps;
    INLINE_MEMBER OutputRow(const T *const *lines, const A *weights, Index n)
        : any_lines(lines), any_weights(weights), taps(TAPS ? TAPS : n) {
        for (int k = 0; k < TAPS; k++) own_lines[k] = lines[k], own_weights[k] = weights[k];
    }
    INLINE_MEMBER const T *line(Index k) const { return TAPS ? own_lines[k] : any_lines[k]; }
    INLINE_MEMBER const A *weight(Index k) const { return TAPS ? own_weights + k : any_weights + k; }
};

struct Rounding {
    Index add, shift;
    float gain;
};

// N elements of an output row, from element i of the scratch rows on: (sum + add) >> shift, or that times the gain.
template <class A, int N, bool GAIN, class Row>
INLINE void sum_lines(const Row &row, const Rounding &end, Index i, uint8_t *q) {
    auto total = product<A, N>(*row.weight(0), load<A, N>(row.line(0) + i));
    for (Index k = 1; k < row.taps; k++) total += product<A, N>(*row.weight(k), load<A, N>(row.line(k) + i));
    total = finish<A, N>(total, end.add, end.shift);
    if constexpr (GAIN) store<float, N>(q + i, convert<Vec<float, N>>(total) * end.gain);
    else store<A, N>(q + i, total);
}

// The first n elements of an output row; the last vector may overlap.
template <class A, int TAPS, bool GAIN = false, class T>
INLINE void sum_all_lines(const T *const *lines, const A *weights, Index n_taps, Rounding end, Index n, uint8_t *q) {
    constexpr Index FOUR = 4 * LANES;
    const OutputRow<A, T, TAPS> row(lines, weights, n_taps);
    if (n >= FOUR)
        for (Index i = 0; i < n; i += FOUR) sum_lines<A, FOUR, GAIN>(row, end, min(i, n - FOUR), q);
    else if (n >= LANES)
        for (Index i = 0; i < n; i += LANES) sum_lines<A, LANES, GAIN>(row, end, min(i, n - LANES), q);
    else
        for (Index i = 0; i < n; i++) sum_lines<A, 1, GAIN>(row, end, i, q);
}

// Row o of an image. Where there is a tail, the last elements that fill no vector of eight are summed in integers.
template <class A>
NOINLINE void sum_output_row(const A *const *lines, const KernelArgs &args, const FixedPointTaps &t, Index o,
                             uint8_t *q) {
    const A *weights = (const A *)args.tables[2].data + o * t.n_taps;
    const Rounding end = {t.v_add, t.v_shift, (float)args.parameter};
    Index n = args.tables[3].size ? t.row_out / LANES * LANES : t.row_out;
    if (same<A, int32_t> && end.gain != 0) sum_all_lines<A, 0, same<A, int32_t>>(lines, weights, t.n_taps, end, n, q);
    else if (t.n_taps == 2) sum_all_lines<A, 2>(lines, weights, 2, end, n, q);
    else if (t.n_taps == 4) sum_all_lines<A, 4>(lines, weights, 4, end, n, q);
    else if (t.n_taps == 8) sum_all_lines<A, 8>(lines, weights, 8, end, n, q);
    else sum_all_lines<A, 0>(lines, weights, t.n_taps, end, n, q);
    const int32_t *tail = (const int32_t *)args.tables[3].data + o * t.n_taps;
    for (Index i = n; i < t.row_out; i++) {
        int64_t total = t.v_add;
        for (Index k = 0; k < t.n_taps; k++) total += (int64_t)tail[k] * (int64_t)lines[k][i];
        q[i] = clamp_to_byte(total >> t.v_shift);
    }
}

// Elements of a and b by turns, of the lower or upper half of every 16 bytes (x86: punpcklbw, punpckhbw).
template <bool UPPER, class V> INLINE V interleave(V a, V b) {
    constexpr int N = sizeof(V);
    return shuffle<N>(a, b, [](int i) { return i / 16 * 16 + 8 * UPPER + i % 16 / 2 + i % 2 * N; });
}
// Half of the elements of two uint8 rows, interleaved in v, times a pair of weights.
template <bool UPPER, int N> INLINE Ints<N / 4> add_interleaved(Ints<N / 4> total, Bytes<N> v, Shorts<N / 2> weights) {
    return madd<N / 4>(total, (Shorts<N / 2>)interleave<UPPER>(v, Bytes<N>{}), weights);
}

// N elements of an output row from pairs of uint8 rows. Bytes stay in their 16-byte part of a vector, which takes half
// the shuffles of keeping all in order.
template <int N, class Row>
INLINE void sum_line_pairs(const Row &row, int32_t add, int32_t shift, Index i, uint8_t *q) {
    using Sums = Ints<N / 4>;
    Sums a = broadcast<Sums>(add), b = a, c = a, d = a;
    for (Index k = 0; k < row.taps; k += 2) {
        auto weights = broadcast_pair<N / 4>(row.weight(k));
        auto first = get<Bytes<N>>(row.line(k) + i), second = get<Bytes<N>>(row.line(k + 1) + i);
        auto lower = interleave<false>(first, second), upper = interleave<true>(first, second);
        a = add_interleaved<false, N>(a, lower, weights), b = add_interleaved<true, N>(b, lower, weights);
        c = add_interleaved<false, N>(c, upper, weights), d = add_interleaved<true, N>(d, upper, weights);
    }
    auto clamped = [shift](Sums v) { return clamp(v >> shift, 0, 255); };
    auto ab = narrow_interleaved<uint16_t, N / 2>(clamped(a), clamped(b));
    auto cd = narrow_interleaved<uint16_t, N / 2>(clamped(c), clamped(d));
    put(q + i, narrow_interleaved<uint8_t, N>(ab, cd));
}

// All elements, at least eight; the last vector may overlap.
template <int TAPS>
INLINE void sum_all_line_pairs(Rows lines, const int16_t *weights, const FixedPointTaps &t, uint8_t *q) {
    enum { WIDE_STEP = WIDE<uint8_t> };
    const OutputRow<int16_t, uint8_t, TAPS> row(lines, weights, t.n_taps);
    const int32_t add = (int32_t)t.v_add, shift = (int32_t)t.v_shift;
    const Index n = t.row_out;
    if (n >= WIDE_STEP) {
        for (Index i = 0; i < n; i += WIDE_STEP) sum_line_pairs<WIDE_STEP>(row, add, shift, min(i, n - WIDE_STEP), q);
        return;
    }
    for (Index i = 0; i < n; i += LANES) {
        i = min(i, n - LANES);
        auto total = broadcast<Ints<LANES>>(add);
        for (Index k = 0; k < row.taps; k += 2)
            total = add_pair<LANES>(total, row.line(k) + i, row.line(k + 1) + i, broadcast_pair<LANES>(row.weight(k)));
        store<int32_t, LANES>(q + i, total >> shift);
    }
}
NOINLINE inline void sum_output_row_by_pairs(Rows lines, const KernelArgs &args, const FixedPointTaps &t, Index o,
                                             uint8_t *q) {
    const int16_t *weights = (const int16_t *)args.tables[2].data + o * t.n_taps;
    if (t.n_taps == 2) sum_all_line_pairs<2>(lines, weights, t, q);
    else if (t.n_taps == 4) sum_all_line_pairs<4>(lines, weights, t, q);
    else sum_all_line_pairs<0>(lines, weights, t, q);
}

// Fill the ring by HORIZONTAL, ROWS rows of x at a time, and sum output rows by VERTICAL.
template <class T, int ROWS, auto HORIZONTAL, auto VERTICAL> Status run_fixed_point(const KernelArgs &args) {
    const FixedPointTaps t(args.tables[0], args.tables[1]);
    Scratch scratch(FixedPointRing<T, ROWS>::bytes_of(t));
    if (scratch.failed()) return NO_MEMORY;
    FixedPointRing<T, ROWS> ring(t, scratch);
    RowCursor at(args.first, t.h_out);
    for (Index g = args.first; g < args.last; g++, at.next()) {
        ring.template fill<HORIZONTAL>(args, t, at.image, at.row);
        VERTICAL(ring.lines, args, t, at.row, (uint8_t *)args.out + output_row_offset(*args.layout, at));
    }
    return DONE;
}

// Scratch rows have the type of the sums: int32 (exact), int16 (upper halves of products) or float32.
template <class X, class O, class A, class T> Status fixed_point(const KernelArgs &args) {
    return run_fixed_point<T, 1, fill_scratch_row<T>, sum_output_row<A>>(args);
}
// Scratch rows are uint8, and rows are summed in pairs; three or four channels.
template <class X, class O, class A, class T> Status fixed_point_pairs(const KernelArgs &args) {
    return run_fixed_point<T, ROWS_PER_QUAD, fill_scratch_quad, sum_output_row_by_pairs>(args);
}
#if defined(__AVX512VBMI__)
template <class X, class O, class A, class T> Status fixed_point_shuffled(const KernelArgs &args) {
    return run_fixed_point<T, ROWS_PER_QUAD, fill_scratch_quad_shuffled<T>, sum_output_row<A>>(args);
}
template <class X, class O, class A, class T> Status fixed_point_pairs_shuffled(const KernelArgs &args) {
    return run_fixed_point<T, ROWS_PER_QUAD, fill_scratch_quad_shuffled<T>, sum_output_row_by_pairs>(args);
}
#endif

// Outputs of 2 x 2 pixels -----------------------------------------------------------------------------------------

// Two pixels, which fit int16, in one vector.
INLINE Shorts<8> narrow_pixels(Ints<4> a, Ints<4> b) { return to_storage<int16_t, int32_t, 8>(concatenate<4>(a, b)); }

// An output row of 2 x 2 pixels: two rows of x, and their weights.
struct TwoRows {
    const uint8_t *a, *b;
    int16_t v0, v1;
};

// Pixels of an output row, two at a time, all but the last one or two, since four elements are written for each.
// Returns how many. Reads eight bytes at each pixel.
template <int C> INLINE Index sum_2x2(const TwoRows &rows, const FixedPointTaps &t, uint8_t *q) {
    const Index n = (t.w_out - 1) / 2 * 2;
    const auto [a, b, v0, v1] = rows;
    const int32_t shift = (int32_t)t.h_shift;
    const Ints<4> zero = {};
    Index fetched = 0;
    for (Index first = 0; first < n; first += PREFETCH_PIXELS) {
        Index last = min(first + PREFETCH_PIXELS, n), end = t.offsets[last - 1];
        prefetch_far(a, fetched, end);
        fetched = prefetch_far(b, fetched, end);
        for (Index j = first; j < last; j += 2) {
            Index p = t.offsets[j], r = t.offsets[j + 1];
            const int16_t *w = t.pairs + 2 * j;
            auto a0 = add_two_taps<C>(zero, a + p, w) >> shift, a1 = add_two_taps<C>(zero, a + r, w + 2) >> shift;
            auto b0 = add_two_taps<C>(zero, b + p, w) >> shift, b1 = add_two_taps<C>(zero, b + r, w + 2) >> shift;
            auto sums = product<int16_t, 8>(v0, narrow_pixels(a0, a1)) + product<int16_t, 8>(v1, narrow_pixels(b0, b1));
            put_two_pixels<C>(q + C * j, to_storage<uint8_t, int16_t, 8>(finish<int16_t, 8>(sums, t.v_add, t.v_shift)));
        }
    }
    return n;
}

// Pixels `first` and following, element by element.
NOINLINE inline void sum_2x2_exactly(const TwoRows &rows, const FixedPointTaps &t, Index first, uint8_t *q) {
    for (Index j = first; j < t.w_out; j++)
        for (Index c = 0; c < t.channels; c++) {
            Index p = t.offsets[j] + c, r = p + t.channels;
            int64_t w0 = t.h_weights[2 * j], w1 = t.h_weights[2 * j + 1];
            int64_t h0 = (w0 * rows.a[p] + w1 * rows.a[r]) >> t.h_shift,
                    h1 = (w0 * rows.b[p] + w1 * rows.b[r]) >> t.h_shift;
            int64_t total = ((rows.v0 * h0) >> 16) + ((rows.v1 * h1) >> 16);
            q[j * t.channels + c] = clamp_to_byte((total + t.v_add) >> t.v_shift);
        }
}

// No scratch rows: for images of three or four channels that shrink, whose outputs read 2 x 2 pixels.
template <class X, class O, class A> Status fixed_point_2x2(const KernelArgs &args) {
    const Arrays<X, O> arrays(args);
    const FixedPointTaps t(args.tables[0], args.tables[1]);
    RowCursor at(args.first, t.h_out);
    for (Index g = args.first; g < args.last; g++, at.next()) {
        const A *v = (const A *)args.tables[2].data + 2 * at.row;
        const Index first = t.first_row[at.row];
        const Index a = input_row_offset(arrays.layout, at.image, t.clamp_row(first));
        const Index b = input_row_offset(arrays.layout, at.image, t.clamp_row(first + 1));
        const TwoRows rows = {arrays.x + a, arrays.x + b, v[0], v[1]};
        O *q = arrays.out + output_row_offset(arrays.layout, at);
        Index done = 0;
        if (max(a, b) + t.row_in + 8 - 2 * t.channels <= args.x_size)
            done = t.channels == 3 ? sum_2x2<3>(rows, t, q) : sum_2x2<4>(rows, t, q);
        sum_2x2_exactly(rows, t, done, q);
    }
    return DONE;
}

}  // namespace sizewise::SIZEWISE_ISA
