// Checks of the tables of fixed-point kernels, made once when a call object is: kernels trust what passes.
#pragma once
#include "core.h"

namespace sizewise {

// Index of the fields of the header of table 0, as `FixedPointTaps` reads them.
enum FixedPointField {
    FP_H_IN,
    FP_N_TAPS,
    FP_ROW_STEP,
    FP_V_ADD,
    FP_V_SHIFT,
    FP_H_ADD,
    FP_H_SHIFT,
    FP_ROW_IN,
    FP_CHANNELS,
    FP_H_TAPS,
    FP_H_OUT,
    FP_W_OUT,
    FP_HEADER
};

constexpr Index MAX_COUNT = (Index)1 << 40;  // of elements, rows and strides: their products fit __int128 by far
using FPWide = __int128;

// Whether n values rise, within 0 .. most.
inline bool is_rising(const Index *values, Index n, Index most) {
    for (Index i = 0; i < n; i++)
        if (values[i] < (i ? values[i - 1] : 0) || values[i] > most) return false;
    return true;
}

// Check one table of pairs; nullptr if kernels of this kind can read it.
inline const char *check_pairs(Kind kind, const Index *h, Index n_pairs, const int16_t *pairs, const Index *windows,
                               Index n_windows) {
    const Index channels = h[FP_CHANNELS], taps = h[FP_H_TAPS], w_out = h[FP_W_OUT];
    if (kind == FIXED_POINT_SHUFFLED || kind == FIXED_POINT_PAIRS_SHUFFLED) {
        const Index row_out = w_out * channels, n_groups = (row_out + 15) / 16;
        if (taps % 2 || row_out < 16) return "a row to shuffle needs 16 elements and pairs of taps";
        if (n_windows != n_groups || n_pairs != n_groups * (taps / 2) * 48) return "shuffle table of the wrong size";
        if (!is_rising(windows, n_windows, h[FP_ROW_IN] - 1)) return "shuffle windows must rise inside a row";
        for (Index i = 0; i < n_groups * (taps / 2); i++)
            for (Index k = 0; k < 32; k++)
                if (((const uint8_t *)(pairs + i * 48))[k] >= 64) return "shuffle index outside its window";
        return nullptr;
    }
    if (n_windows) return "index table too long";
    if (kind == FIXED_POINT_2X2) {
        if (channels != 3 && channels != 4) return "2x2 needs three or four channels";
        if (h[FP_V_SHIFT] > 15) return "shift out of range";
        if (taps != 2 || h[FP_N_TAPS] != 2 || h[FP_ROW_STEP] != 1) return "2x2 needs two taps an axis";
        return n_pairs == 2 * w_out ? nullptr : "table of pairs of the wrong size";
    }
    if (kind == FIXED_POINT_PAIRS) {
        if (channels != 3 && channels != 4) return "pairs need three or four channels";
        return taps % 4 == 0 && n_pairs == 4 * w_out * taps ? nullptr : "table of pairs of the wrong size";
    }
    if (n_pairs == 0) return nullptr;  // summed element by element
    if (taps % 2 || channels == 2 || (channels > 4 && channels < 8) || (channels == 1 && w_out < 8))
        return "these taps have no pairs";
    Index expected = w_out * taps;
    if (channels == 1) expected = (w_out + 7) / 8 * 8 * taps;
    else if (channels < 8 && taps % 4 == 0) expected *= 4;
    return n_pairs == expected ? nullptr : "table of pairs of the wrong size";
}

// Check that a fixed-point kernel that fills rows 0 .. n_rows - 1 stays inside its tables and buffers. Return nullptr
// if so, else the reason.
inline const char *check_fixed_point(Kind kind, const KernelArgs &args) {
    const Table &index = args.tables[0], &across = args.tables[1], &down = args.tables[2], &tail = args.tables[3];
    if (index.size < FP_HEADER) return "index table too short";
    const Index *h = (const Index *)index.data;
    const FixedPointField counts[] = {FP_H_IN, FP_N_TAPS, FP_ROW_IN, FP_CHANNELS, FP_H_TAPS, FP_H_OUT, FP_W_OUT};
    for (auto field : counts)
        if (h[field] < 1 || h[field] > MAX_COUNT) return "header out of range";
    if (h[FP_ROW_STEP] != 1 && h[FP_ROW_STEP] != -1) return "row step must be 1 or -1";
    if (h[FP_V_SHIFT] < 0 || h[FP_V_SHIFT] > 31 || h[FP_H_SHIFT] < 0 || h[FP_H_SHIFT] > 31) return "shift out of range";
    const FixedPointField addends[] = {FP_V_ADD, FP_H_ADD};
    for (auto field : addends)
        if (h[field] < INT32_MIN || h[field] > INT32_MAX) return "rounding constant out of range";

    const Index n_taps = h[FP_N_TAPS], row_in = h[FP_ROW_IN], channels = h[FP_CHANNELS];
    const Index taps = h[FP_H_TAPS], h_out = h[FP_H_OUT], w_out = h[FP_W_OUT];
    if (index.size - FP_HEADER < h_out + w_out) return "index table too short";
    if (across.size < (FPWide)w_out * taps) return "table of horizontal weights too short";
    if (down.size < (FPWide)h_out * n_taps) return "table of vertical weights too short";
    if (tail.size && tail.size < (FPWide)h_out * n_taps) return "table of tail weights too short";
    const FPWide row_out = (FPWide)w_out * channels;
    if (row_out > MAX_COUNT || row_out * (n_taps + 8) > MAX_COUNT * 64) return "rows too long";

    const Index *first = h + FP_HEADER, *offsets = first + h_out, *windows = offsets + w_out;
    const int16_t *pairs = (const int16_t *)across.data + w_out * taps;
    for (Index o = 0; o < h_out; o++)
        if (first[o] < -MAX_COUNT || first[o] > MAX_COUNT) return "row out of range";
    if ((FPWide)taps * channels > row_in) return "more taps than pixels in a row";
    if (!is_rising(offsets, w_out, row_in - taps * channels)) return "pixel offsets must rise inside a row";
    const char *wrong = check_pairs(kind, h, across.size - w_out * taps, pairs, windows, index.size - (windows - h));
    if (wrong) return wrong;
    if (kind == FIXED_POINT_PAIRS || kind == FIXED_POINT_PAIRS_SHUFFLED)
        if (n_taps % 2 || row_out < 8) return "rows in pairs need pairs of taps and eight elements";

    return nullptr;
}

}  // namespace sizewise
