// Checks of a call's tables against each other and against the buffers. Done once, when a call object is made: kernels
// trust their tables. Every function returns nullptr, or what is wrong.
#pragma once
#include "check_fixed_point.h"
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

// a + b * c, or false if that overflows.
INLINE bool add_product_to(Index &a, Index b, Index c) {
    Index product;
    return !__builtin_mul_overflow(b, c, &product) && !__builtin_add_overflow(a, product, &a);
}

// Rows of `length` elements at base + n * image + h * row, n < n_images, h < n_rows: whether all lie in `size`
// elements. Offsets are linear in n and h, so that the extremes are at the corners.
INLINE bool rows_fit(Index base, Index image, Index n_images, Index row, Index n_rows, Index length, Index size) {
    if (n_images < 1 || n_rows < 1 || length < 0) return false;
    Index low = base, high = base;
    return add_product_to(image < 0 ? low : high, image, n_images - 1) &&
        add_product_to(row < 0 ? low : high, row, n_rows - 1) && low >= 0 && high >= 0 && length <= size &&
        high <= size - length;
}

// One packed axis at index[at ..], with its weights at weights[w ..].
struct AxisCheck {
    const Index *index;
    Index n_index, n_weights;  // from this axis on
    Index n_in = 0, n = 0, width = 0, channels = 0, n_blocks = 0;

    const char *check_header() {
        if (n_index < HEADER) return "an axis without a header";
        n_in = index[N_IN], n = index[N_OUT], width = index[WIDTH], channels = index[CHANNELS],
        n_blocks = index[N_BLOCKS];
        if (n_in < 1 || n_in > MAX_COUNT || n < 1 || width < 0 || channels < 1 || n_blocks < 0)
            return "an axis with impossible lengths";
        if (n > (n_index - HEADER) / 3 || n_blocks > (n_index - HEADER - 3 * n) / (LANES + 3))
            return "an axis that is cut short";
        if (width > 0 && n > n_weights / width) return "fewer weights than taps";
        if (index[SHIFT] < 0 || index[SHIFT] > 31 || index[ADD] < 0 || index[ADD] > INT32_MAX)
            return "an impossible rounding";
        return nullptr;
    }
    const char *check_taps() const {
        const Index *start = index + HEADER, *counts = start + n, *flags = counts + n;
        for (Index o = 0; o < n; o++)
            if (start[o] < 0 || counts[o] < 0 || counts[o] > width || start[o] > n_in - counts[o])
                return "taps outside the axis";
        for (Index o = 0; o < n; o++)
            if ((flags[o] & JOINT) &&
                (o + 1 >= n || start[o + 1] < start[o] || start[o + 1] > start[o] + counts[o] ||
                 start[o + 1] + counts[o + 1] < start[o] + counts[o]))
                return "outputs summed together that do not follow each other";
        return nullptr;
    }
    const char *check_blocks() const {
        const Index *first = index + HEADER + 3 * n, *offset = first + n_blocks, *depth = offset + LANES * n_blocks,
                    *at = depth + n_blocks;
        Index table = n_weights - n * width, row_in, row_out, size, reach;
        if (__builtin_mul_overflow(n_in, channels, &row_in) || __builtin_mul_overflow(n, channels, &row_out))
            return "rows that are too long";
        if (__builtin_mul_overflow(row_in, (Index)LANES, &size)) return "rows that are too long";
        if (n_blocks > 0 && (row_in < LANES || row_out < LANES)) return "blocks of rows that are too short";
        for (Index b = 0; b < n_blocks; b++) {
            if (first[b] < 0 || first[b] > row_out - LANES) return "a block outside its row";
            if (depth[b] < 0 || depth[b] > n_in || at[b] < 0 || at[b] > table || depth[b] > (table - at[b]) / LANES)
                return "a block without its weights";
            reach = depth[b] > 0 ? (depth[b] - 1) * channels * LANES + LANES : 0;
            for (Index a = 0; a < LANES; a++)
                if (offset[b * LANES + a] < 0 || offset[b * LANES + a] % LANES || offset[b * LANES + a] > size - reach)
                    return "a window outside its row";
            // Elements of one pixel are read beside the first of them.
            if (channels == 3 || channels == 4)
                for (Index a = 1; a < LANES; a++)
                    if ((first[b] + a) % channels && offset[b * LANES + a] != offset[b * LANES + a - 1] + LANES)
                        return "a pixel that is torn apart";
        }
        return nullptr;
    }
    const char *check() {
        if (const char *wrong = check_header()) return wrong;
        if (const char *wrong = check_taps()) return wrong;
        return check_blocks();
    }
};

// Two packed axes, as `BothTaps` reads them.
struct BothCheck {
    AxisCheck vertical{}, horizontal{};

    const char *check(const Table &index, const Table &weights) {
        const Index *i = (const Index *)index.data;
        if (index.size < 2 || i[0] < 2 || i[0] > index.size || i[1] < 0 || i[1] > weights.size)
            return "two axes that are cut short";
        vertical = {i + 2, i[0] - 2, i[1]};
        horizontal = {i + i[0], index.size - i[0], weights.size - i[1]};
        if (const char *wrong = vertical.check()) return wrong;
        return horizontal.check();
    }
    bool agrees_with(const BothCheck &other) const {
        return vertical.n_in == other.vertical.n_in && vertical.n == other.vertical.n &&
            horizontal.n_in == other.horizontal.n_in && horizontal.n == other.horizontal.n &&
            horizontal.channels == other.horizontal.channels;
    }
    // The fused kernel reads two pixels along each axis, at most one channel count apart from a vector.
    const char *check_fused() const {
        const AxisCheck *both[] = {&vertical, &horizontal};
        for (const AxisCheck *axis : both) {
            if (axis->width != 2) return "taps that are not pairs";
            for (Index o = 0; o < axis->n; o++)
                if (axis->index[HEADER + axis->n + o] != 2) return "taps that are not pairs";
        }
        Index channels = horizontal.channels;
        return channels == 3 || channels == 4 || channels >= LANES ? nullptr : "too few channels for the fused kernel";
    }
    // Nearest copies one pixel at most.
    const char *check_nearest() const {
        const AxisCheck *both[] = {&vertical, &horizontal};
        for (const AxisCheck *axis : both)
            for (Index o = 0; o < axis->n; o++)
                if (axis->index[HEADER + axis->n + o] > 1) return "more than one pixel to copy";
        return nullptr;
    }
};

struct Shape { Index h_in, h_out, row_in, row_out; };

// The tables of a kernel; `shape` becomes the rows of an image of x and of out that it reads and writes.
static inline const char *check_tables(Kind kind, const KernelArgs &args, Shape &shape) {
    const Table *tables = args.tables;
    if (kind == VERTICAL_ONLY || kind == HORIZONTAL_ONLY) {
        AxisCheck axis = {(const Index *)tables[0].data, tables[0].size, tables[1].size};
        if (const char *wrong = axis.check()) return wrong;
        Index row = args.layout->row_length, rows = args.layout->rows_per_image;
        if (kind == VERTICAL_ONLY) shape = {axis.n_in, axis.n, row, row};
        else shape = {rows, rows, axis.n_in * axis.channels, axis.n * axis.channels};
        return nullptr;
    }
    BothCheck both;
    if (const char *wrong = both.check(tables[0], tables[1])) return wrong;
    shape = {both.vertical.n_in, both.vertical.n, both.horizontal.n_in * both.horizontal.channels,
             both.horizontal.n * both.horizontal.channels};
    if (kind == FUSED_2X2) return both.check_fused();
    if (kind == NEAREST) return both.check_nearest();
    if (kind == VERIFIED) {
        BothCheck exact;
        if (const char *wrong = exact.check(tables[2], tables[3])) return wrong;
        if (!exact.agrees_with(both)) return "float32 and float64 taps of different axes";
    }
    return nullptr;
}

// Whether the rows that n_rows output rows read and write lie in the buffers. Strides are limited even where they lead
// nowhere, with one row or image, since the offset of the row behind the last is computed for its prefetch.
static inline const char *check_layout(const Layout &layout, const Shape &shape, Index n_rows, Index x_size,
                                       Index out_size) {
    if (layout.rows_per_image != shape.h_out || shape.h_out < 1 || n_rows < 1)
        return "another number of rows than the taps have";
    if (layout.row_length != shape.row_in || shape.row_in < 1 || shape.row_out < 1)
        return "rows of another length than the taps have";
    const Index strides[] = {layout.x_image, layout.x_row, layout.out_image, layout.out_row};
    for (Index stride : strides)
        if (stride > MAX_COUNT || stride < -MAX_COUNT) return "rows that are too far apart";
    if (x_size > MAX_COUNT || out_size > MAX_COUNT) return "arrays that are too large";
    Index n_images = (n_rows - 1) / shape.h_out + 1, all;
    if (__builtin_mul_overflow(n_images, shape.h_in, &all)) return "too many rows";
    if (!rows_fit(layout.x_base, layout.x_image, n_images, layout.x_row, shape.h_in, shape.row_in, x_size))
        return "rows outside the input";
    if (!rows_fit(layout.out_base, layout.out_image, n_images, layout.out_row, shape.h_out, shape.row_out, out_size))
        return "rows outside the result";
    return nullptr;
}

// All arguments of a call but the arrays and the bands.
static inline const char *check_call(Kind kind, const KernelArgs &args, Index n_rows, Shape &shape) {
    const char *wrong = kind >= FIXED_POINT ? check_fixed_point(kind, args) : check_tables(kind, args, shape);
    if (wrong) return wrong;
    const Index *h = (const Index *)args.tables[0].data;
    if (kind >= FIXED_POINT) shape = {h[FP_H_IN], h[FP_H_OUT], h[FP_ROW_IN], h[FP_W_OUT] * h[FP_CHANNELS]};
    return check_layout(*args.layout, shape, n_rows, args.x_size, args.out_size);
}

}  // namespace sizewise::SIZEWISE_ISA
