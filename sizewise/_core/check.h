// Checks of a call's tables against each other and against the buffers. Done once, when a call object is created:
// kernels trust their tables. Every function returns nullptr, or an error message.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

constexpr Index MAX_COUNT = (Index)1 << 40;  // of elements, rows and strides
using Wide = __int128;                       // holds every product of two counts

// The rows of an image of x and of out that a kernel reads and writes.
struct Shape { Index h_in, h_out, row_in, row_out; };

INLINE bool is_in(Wide value, Wide least, Wide most) { return least <= value && value <= most; }
INLINE bool all_in(const Index *values, Index n, Index least, Index most) {
    for (Index i = 0; i < n; i++)
        if (!is_in(values[i], least, most)) return false;
    return true;
}
INLINE bool is_rising(const Index *values, Index n) {
    for (Index i = 1; i < n; i++)
        if (values[i] < values[i - 1]) return false;
    return true;
}

// One packed axis, and how many integers and weights there are from it on.
struct AxisCheck {
    const Index *index;
    Index n_index, n_weights;
    Index n_in = 0, n = 0, width = 0, channels = 0, n_blocks = 0, divides = 0;

    const char *check() {
        if (const char *wrong = check_header()) return wrong;
        if (const char *wrong = check_taps()) return wrong;
        return check_blocks();
    }
    const Index *counts() const { return index + HEADER + n; }
    bool has_counts(Index least, Index most) const { return all_in(counts(), n, least, most); }

  private:
    const char *check_header() {
        if (n_index < HEADER) return "an axis without a header";
        n_in = index[N_IN], n = index[N_OUT], width = index[WIDTH], channels = index[CHANNELS];
        n_blocks = index[N_BLOCKS], divides = index[DIVIDES];
        bool has_lengths = is_in(n_in, 1, MAX_COUNT) && n >= 1 && width >= 0 && channels >= 1 && n_blocks >= 0;
        if (!has_lengths || !is_in(divides, 0, 1)) return "an axis with impossible lengths";
        if (HEADER + 3 * (Wide)n + (LANES + 3) * (Wide)n_blocks > n_index) return "an axis that is cut short";
        if ((Wide)n * ((Wide)width + divides) > n_weights) return "fewer weights than taps";
        return is_in(index[SUM_BLOCK], 1, MAX_COUNT) && is_in(index[SHIFT], 0, 51) && is_in(index[ADD], 0, INT32_MAX)
            ? nullptr
            : "an impossible rounding";
    }
    const char *check_taps() const {
        const Index *start = index + HEADER, *count = counts(), *flags = count + n;
        for (Index o = 0; o < n; o++)
            if (!is_in(count[o], 0, width) || !is_in(start[o], 0, n_in - count[o])) return "taps outside the axis";
        for (Index o = 0; o < n; o++) {
            if (!(flags[o] & JOINT)) continue;
            Index end = start[o] + count[o];
            if (o + 1 >= n || !is_in(start[o + 1], start[o], end) || start[o + 1] + count[o + 1] < end)
                return "outputs summed together that do not follow each other";
        }
        return nullptr;
    }
    const char *check_blocks() const {
        const Index *first = counts() + 2 * n, *offset = first + n_blocks, *depth = offset + LANES * n_blocks;
        const Index *at = depth + n_blocks, table = n_weights - n * (width + divides);
        const Wide row_in = (Wide)n_in * channels, row_out = (Wide)n * channels, padding = (Wide)width * channels;
        if (row_in > MAX_COUNT || row_out > MAX_COUNT || padding > MAX_COUNT) return "rows that are too long";
        if (n_blocks > 0 && (row_in < LANES || row_out < LANES)) return "blocks of rows that are too short";
        for (Index b = 0; b < n_blocks; b++, offset += LANES) {
            if (!is_in(first[b], 0, row_out - LANES)) return "a block outside its row";
            if (!is_in(depth[b], 0, width) || !is_in(at[b], divides * LANES, table - depth[b] * LANES))
                return "a block without its weights";
            const Wide reach = depth[b] > 0 ? ((Wide)(depth[b] - 1) * channels + 1) * LANES : 0;
            for (Index a = 0; a < LANES; a++)
                if (!is_in(offset[a], 0, (row_in + padding) * LANES - reach) || offset[a] % LANES)
                    return "a window outside its row";
            // Elements of one pixel are read beside the first of them.
            for (Index a = 1; a < LANES && (channels == 3 || channels == 4); a++)
                if ((first[b] + a) % channels && offset[a] != offset[a - 1] + LANES)
                    return "a pixel that is torn apart";
        }
        return nullptr;
    }
};

// Two packed axes, as `BothTaps` reads them.
struct BothCheck {
    AxisCheck vertical{}, horizontal{};

    const char *check(const Table &index, const Table &weights) {
        const Index *i = (const Index *)index.data;
        if (index.size < 2 || !is_in(i[0], 2, index.size) || !is_in(i[1], 0, weights.size))
            return "two axes that are cut short";
        vertical = {i + 2, i[0] - 2, i[1]};
        horizontal = {i + i[0], index.size - i[0], weights.size - i[1]};
        const char *wrong = vertical.check();
        return wrong ? wrong : horizontal.check();
    }
    Shape shape() const {
        return {vertical.n_in, vertical.n, horizontal.n_in * horizontal.channels, horizontal.n * horizontal.channels};
    }
    bool agrees_with(const BothCheck &other) const {
        const Shape a = shape(), b = other.shape();
        return memcmp(&a, &b, sizeof a) == 0 && horizontal.channels == other.horizontal.channels;
    }
    // The fused kernel reads two pixels along each axis, at most one channel count apart from a vector.
    const char *check_fused() const {
        bool are_pairs = vertical.width == 2 && horizontal.width == 2;
        if (!are_pairs || !vertical.has_counts(2, 2) || !horizontal.has_counts(2, 2)) return "taps that are not pairs";
        Index channels = horizontal.channels;
        return channels == 3 || channels == 4 || channels >= LANES ? nullptr : "too few channels for the fused kernel";
    }
    const char *check_nearest() const {
        return vertical.has_counts(0, 1) && horizontal.has_counts(0, 1) ? nullptr : "more than one pixel to copy";
    }
};

static inline const char *check_one_axis(Kind kind, const KernelArgs &args, Shape &shape) {
    AxisCheck axis = {(const Index *)args.tables[0].data, args.tables[0].size, args.tables[1].size};
    if (const char *wrong = axis.check()) return wrong;
    Index row = args.layout->row_length, rows = args.layout->rows_per_image;
    if (kind == VERTICAL_ONLY) shape = {axis.n_in, axis.n, row, row};
    else shape = {rows, rows, axis.n_in * axis.channels, axis.n * axis.channels};
    return nullptr;
}

static inline const char *check_both_axes(Kind kind, const KernelArgs &args, Shape &shape) {
    BothCheck both, exact;
    if (const char *wrong = both.check(args.tables[0], args.tables[1])) return wrong;
    shape = both.shape();
    if (kind == FUSED_2X2) return both.check_fused();
    if (kind == NEAREST) return both.check_nearest();
    if (kind != VERIFIED) return nullptr;
    if (const char *wrong = exact.check(args.tables[2], args.tables[3])) return wrong;
    return exact.agrees_with(both) ? nullptr : "float32 and float64 taps of different axes";
}

// The table of pairs of a fixed-point kernel, and its windows.
static inline const char *check_pairs(Kind kind, const FixedPointTaps &t) {
    if (kind == FIXED_POINT_SHUFFLED || kind == FIXED_POINT_PAIRS_SHUFFLED) {
        const Index n_groups = ceil_div(t.row_out, 16), n = n_groups * (t.h_taps / 2);
        if (t.h_taps % 2 || t.row_out < 16) return "a row to shuffle that lacks 16 elements or pairs of taps";
        if (t.n_windows != n_groups || t.n_pairs != n * 48) return "a shuffle table of the wrong size";
        bool is_inside = all_in(t.windows, n_groups, 0, t.row_in - 1) && is_rising(t.windows, n_groups);
        if (!is_inside) return "shuffle windows that do not rise inside a row";
        for (Index i = 0; i < n * 32; i++)
            if (((const uint8_t *)(t.pairs + i / 32 * 48))[i % 32] >= 64) return "a shuffle index outside its window";
        return nullptr;
    }
    if (t.n_windows) return "an index table that is too long";
    const bool is_color = t.channels == 3 || t.channels == 4, is_direct = kind == FIXED_POINT_2X2;
    if ((is_direct || kind == FIXED_POINT_PAIRS) && !is_color) return "pixels of other than three or four channels";
    if (is_direct && t.v_shift > 15) return "a shift out of range";
    if (is_direct && (t.h_taps != 2 || t.n_taps != 2 || t.row_step != 1)) return "other than two taps an axis";
    if (kind == FIXED_POINT_PAIRS && t.h_taps % 4) return "taps that are not fours";
    if (kind == FIXED_POINT && t.n_pairs == 0) return nullptr;  // summed element by element
    if (t.h_taps % 2 || (!is_color && t.channels < LANES && (t.channels > 1 || t.w_out < LANES)))
        return "taps that have no pairs";
    const Index n_pixels = t.channels == 1 ? ceil_div(t.w_out, LANES) * LANES : t.w_out;
    const Index n_pairs = n_pixels * t.h_taps * (is_color && t.h_taps % 4 == 0 ? 4 : 1);
    return t.n_pairs == n_pairs ? nullptr : "a table of pairs of the wrong size";
}

static inline const char *check_fixed_point(Kind kind, const KernelArgs &args, Shape &shape) {
    const Table &index = args.tables[0], &across = args.tables[1], &down = args.tables[2], &tail = args.tables[3];
    if (index.size < FIXED_POINT_HEADER) return "an index table that is too short";
    const FixedPointHeader h = *(const FixedPointHeader *)index.data;
    const Index counts[] = {h.h_in, h.n_taps, h.row_in, h.channels, h.h_taps, h.h_out, h.w_out};
    if (!all_in(counts, sizeof counts / sizeof *counts, 1, MAX_COUNT)) return "a header out of range";
    if (h.row_step != 1 && h.row_step != -1) return "a row step that is not 1 or -1";
    if (!is_in(h.v_shift, 0, 31) || !is_in(h.h_shift, 0, 31)) return "a shift out of range";
    const Index addends[] = {h.v_add, h.h_add};
    if (!all_in(addends, 2, INT32_MIN, INT32_MAX)) return "a rounding constant out of range";
    if (index.size - FIXED_POINT_HEADER < h.h_out + h.w_out) return "an index table that is too short";
    if (across.size < (Wide)h.w_out * h.h_taps) return "too few horizontal weights";
    if (down.size < (Wide)h.h_out * h.n_taps) return "too few vertical weights";
    if (tail.size && tail.size < (Wide)h.h_out * h.n_taps) return "too few weights of the tail";
    const Wide row_out = (Wide)h.w_out * h.channels;
    if (row_out > MAX_COUNT || row_out * (h.n_taps + 8) > MAX_COUNT * 64) return "rows that are too long";
    if ((Wide)h.h_taps * h.channels > h.row_in) return "more taps than pixels in a row";

    const FixedPointTaps t(index, across);
    if (!all_in(t.first_row, t.h_out, -MAX_COUNT, MAX_COUNT)) return "a row out of range";
    bool is_inside = all_in(t.offsets, t.w_out, 0, t.row_in - t.h_taps * t.channels) && is_rising(t.offsets, t.w_out);
    if (!is_inside) return "pixel offsets that do not rise inside a row";
    if (const char *wrong = check_pairs(kind, t)) return wrong;
    bool by_pairs = kind == FIXED_POINT_PAIRS || kind == FIXED_POINT_PAIRS_SHUFFLED;
    if (by_pairs && (t.n_taps % 2 || t.row_out < LANES))
        return "rows in pairs that lack pairs of taps or eight elements";
    shape = {t.h_in, t.h_out, t.row_in, t.row_out};
    return nullptr;
}

// Rows of `length` elements at base + n * image + h * row, n < n_images, h < n_rows: whether all lie in `size`
// elements. Offsets are linear in n and h, so that the extremes are at the corners.
INLINE bool rows_fit(Index base, Index image, Index n_images, Index row, Index n_rows, Index length, Index size) {
    Wide low = base, high = base;
    (image < 0 ? low : high) += (Wide)image * (n_images - 1);
    (row < 0 ? low : high) += (Wide)row * (n_rows - 1);
    return n_images >= 1 && n_rows >= 1 && length >= 0 && low >= 0 && high + length <= size;
}

// Whether the rows that n_rows output rows read and write lie in the buffers. Strides are limited even where they lead
// nowhere, with one row or image, since the offset of the row behind the last is computed for its prefetch.
static inline const char *check_layout(const Layout &a, const Shape &shape, Index n_rows, Index x_size,
                                       Index out_size) {
    if (a.rows_per_image != shape.h_out || shape.h_out < 1 || n_rows < 1)
        return "another number of rows than the taps have";
    if (a.row_length != shape.row_in || shape.row_in < 1 || shape.row_out < 1)
        return "rows of another length than the taps have";
    const Index strides[] = {a.x_image, a.x_row, a.out_image, a.out_row};
    if (!all_in(strides, 4, -MAX_COUNT, MAX_COUNT)) return "rows that are too far apart";
    if (x_size > MAX_COUNT || out_size > MAX_COUNT) return "arrays that are too large";
    const Index n_images = (n_rows - 1) / shape.h_out + 1;
    if ((Wide)n_images * shape.h_in > INT64_MAX) return "too many rows";
    if (!rows_fit(a.x_base, a.x_image, n_images, a.x_row, shape.h_in, shape.row_in, x_size))
        return "rows outside the input";
    bool fits = rows_fit(a.out_base, a.out_image, n_images, a.out_row, shape.h_out, shape.row_out, out_size);
    return fits ? nullptr : "rows outside the result";
}

// All arguments of a call but the arrays and the bands.
static inline const char *check_call(Kind kind, const KernelArgs &args, Index n_rows, Shape &shape) {
    auto check = kind <= HORIZONTAL_ONLY ? check_one_axis : kind < FIXED_POINT ? check_both_axes : check_fixed_point;
    const char *wrong = check(kind, args, shape);
    return wrong ? wrong : check_layout(*args.layout, shape, n_rows, args.x_size, args.out_size);
}

}  // namespace sizewise::SIZEWISE_ISA
