// Sums of uint8 images in float32, rounded as those in float64 are: twice as fast, and the same bits.
//
// A float32 sum is off by a bound that the caller knows. Where it lies no nearer to a half than that, it rounds to the
// integer that the float64 sum rounds to. Ambiguous sums are recomputed in float64, in the order of the passes.
// tables: those of `passes.h` in float32, then the same in float64. parameter: the largest safe distance from an
// integer.
#pragma once
#include "vertical.h"

namespace sizewise::SIZEWISE_ISA {

// One element in float64: output i of `outer`, over output j of `inner`, the pass that goes first.
NOINLINE static Vec<double, 1> recompute(const uint8_t *x, const RowTaps<double> &outer, Index i, Index outer_stride,
                                         const RowTaps<double> &inner, Index j, Index inner_stride) {
    Vec<double, 1> sum = {}, block = {};
    for (Index k = 0; k < outer.counts[i]; k++) {
        double weight = outer.weights[i * outer.width + k];
        if (k % outer.sum_block == 0) sum = sum + block, block = {};
        if (weight == 0) continue;
        const RowSource<uint8_t> rows = {x + (outer.start[i] + k) * outer_stride, inner_stride};
        block = block + weight * sum_column<double, 1>(RowSum<uint8_t, double>(rows, inner, j), 0);
    }
    return outer.finish(i)(sum + block);
}

// Byte r is 0xFF if lane r is farther than `limit` from an integer, else 0; for sums below 2^22.
template <int N> INLINE uint64_t ambiguous_lanes(Vec<float, N> v, float limit) {
    Vec<float, N> off = v - ((v + MAGIC<float>)-MAGIC<float>);
    Vec<int8_t, N> far = convert<Vec<int8_t, N>>((off > limit) | (off < -limit));
    uint64_t lanes = 0;
    memcpy(&lanes, &far, sizeof far);
    return lanes;
}

struct Verifier {
    const uint8_t *x;
    uint8_t *out;
    const Layout &layout;
    BothTaps<double> taps;
    float limit;
    bool vertical_first;

    Verifier(const KernelArgs &args, bool vertical_goes_first)
        : x((const uint8_t *)args.x), out((uint8_t *)args.out), layout(*args.layout),
          taps(args.tables[2], args.tables[3]), limit((float)args.parameter), vertical_first(vertical_goes_first) {}

    // Output row o of an image, at out[q] = n float32 sums, rounded, the ambiguous ones recomputed.
    NOINLINE void round_or_recompute(const float *sums, Index n, Index image, Index o, Index q) const {
        if (n < LANES)
            for (Index i = 0; i < n; i++) round_lanes<1>(sums, i, image, o, q);
        else
            for (Index i = 0; i < n; i += LANES) round_lanes<LANES>(sums, min(i, n - LANES), image, o, q);
    }

  private:
    template <int N> INLINE_MEMBER void round_lanes(const float *sums, Index i, Index image, Index o, Index q) const {
        Vec<float, N> v = load<float, N>(sums + i);
        store<float, N>(out + q + i, v);
        uint64_t lanes = ambiguous_lanes<N>(v, limit);
        for (Index r = 0; lanes; r++, lanes >>= 8)
            if (lanes & 1) recompute_element(i + r, image, o, q);
    }
    void recompute_element(Index e, Index image, Index o, Index q) const {
        const RowTaps<double> &v = taps.vertical, &h = taps.horizontal;
        Index j = e / h.channels;
        const uint8_t *p = x + input_row_offset(layout, image, 0) + e % h.channels;
        store<double, 1>(out + q + e,
                         vertical_first ? recompute(p, h, j, h.channels, v, o, layout.x_row)
                                        : recompute(p, v, o, layout.x_row, h, j, h.channels));
    }
};
struct NoVerifier {
    NoVerifier(const KernelArgs &, bool) {}
};
template <bool VERIFIES> using VerifierIf = std::conditional_t<VERIFIES, Verifier, NoVerifier>;

}  // namespace sizewise::SIZEWISE_ISA
