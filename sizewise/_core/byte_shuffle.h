// Horizontal pass of uint8 images with AVX-512 VBMI byte shuffles (`vpermb`), 16 elements of four rows at a time.
//
// 16 neighboring elements of a result read a few dozen bytes, for most channel counts and scales. So 64 bytes are
// loaded for all of them, and for each pair of taps a table says which of these go to which lane, and their weights.
#pragma once
#include "fixed_point_horizontal.h"
#if defined(__AVX512VBMI__)
#include <immintrin.h>

namespace sizewise::SIZEWISE_ISA {

enum { PREFETCH_GROUPS = 16 };  // groups of 16 elements for which memory is prefetched at a time

// Two taps more of 16 elements, from the 64 bytes at p. Of every two bytes the shuffle leaves the second zero: they
// arrive as int16.
INLINE Ints<16> add_shuffled(Ints<16> total, const uint8_t *p, __m512i indices, Shorts<32> weights) {
    auto bytes = (__m512i)get<Bytes<64>>(p);
    auto pairs = (Shorts<32>)_mm512_maskz_permutexvar_epi8(0x5555555555555555, indices, bytes);
    return madd<16>(total, pairs, weights);
}

// Four rows; the last 16 elements may overlap. Four taps share a window; of other counts, each pair has its own, two
// pixels behind that of the pair before. Returns how many pixels of each row are done, which read nothing outside x.
template <int TAPS, class T> INLINE Index sum_shuffled(Rows rows, Index left, const FixedPointTaps &t, T *const *to) {
    const Index taps = TAPS ? TAPS : t.h_taps, pair_stride = TAPS == 4 ? 0 : 2 * t.channels;
    const Index reach = SHUFFLE_WINDOW + (TAPS == 4 ? 0 : (taps - 2) * t.channels), last = t.row_out - SHUFFLE_LANES;
    Index n = t.n_windows, fetched = 0;
    while (n > 0 && reach + t.windows[n - 1] > left) n--;
    const uint8_t *x0 = rows[0], *x1 = rows[1], *x2 = rows[2], *x3 = rows[3];
    T *q0 = to[0], *q1 = to[1], *q2 = to[2], *q3 = to[3];
    const auto half = broadcast<Ints<16>>((int32_t)t.h_add);
    const int32_t shift = (int32_t)t.h_shift;
    const int16_t *w = t.pairs;
    for (Index first = 0; first < n; first += PREFETCH_GROUPS) {
        Index end = min(first + PREFETCH_GROUPS, n), begin = fetched;
        for (int r = 0; r < ROWS_PER_QUAD; r++) fetched = prefetch_far(rows[r], begin, t.windows[end - 1]);
        for (Index g = first; g < end; g++) {
            auto a0 = half, a1 = half, a2 = half, a3 = half;
            Index p = t.windows[g];
            for (Index k = 0; k < taps; k += 2, w += SHUFFLE_PAIR, p += pair_stride) {
                auto indices = (__m512i)convert<Vec<uint16_t, 32>>(get<Bytes<32>>(w));
                auto weights = get<Shorts<32>>(w + SHUFFLE_LANES);
                a0 = add_shuffled(a0, x0 + p, indices, weights);
                a1 = add_shuffled(a1, x1 + p, indices, weights);
                a2 = add_shuffled(a2, x2 + p, indices, weights);
                a3 = add_shuffled(a3, x3 + p, indices, weights);
            }
            Index e = min(SHUFFLE_LANES * g, last);
            store<int32_t, 16>(q0 + e, a0 >> shift);
            store<int32_t, 16>(q1 + e, a1 >> shift);
            store<int32_t, 16>(q2 + e, a2 >> shift);
            store<int32_t, 16>(q3 + e, a3 >> shift);
        }
    }
    return n == t.n_windows ? t.w_out : SHUFFLE_LANES * n / t.channels;
}
template <class T>
NOINLINE Index fill_scratch_quad_shuffled(Rows rows, Index left, const FixedPointTaps &taps, T *const *to) {
    const FixedPointTaps t = taps;
    if (t.h_taps == 4) return sum_shuffled<4>(rows, left, t, to);
    if (t.h_taps == 2) return sum_shuffled<2>(rows, left, t, to);
    return sum_shuffled<0>(rows, left, t, to);
}

}  // namespace sizewise::SIZEWISE_ISA
#endif
