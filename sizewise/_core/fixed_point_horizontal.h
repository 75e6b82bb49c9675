// Horizontal pass of uint8 images in fixed point: rows of x become scratch rows, (sum + h_add) >> h_shift.
//
// Pairs of neighboring taps are summed by one instruction (x86: pmaddwd), which multiplies int16 and adds the products
// of neighbors. Vector loads may read past the pixels they need, so the last pixels of x are summed one by one.
#pragma once
#include "taps.h"

namespace sizewise::SIZEWISE_ISA {

enum { ROWS_PER_QUAD = 4, SHUFFLE_LANES = 16, SHUFFLE_WINDOW = 64 };
// int16 elements of a pair of taps of 16 lanes: 32 byte indices, then 32 weights.
enum { SHUFFLE_PAIR = SHUFFLE_LANES + 2 * SHUFFLE_LANES };
enum { PREFETCH_PIXELS = 16, PREFETCH_DISTANCE = 1 << 16 };  // bytes

template <int N> using Ints = Vec<int32_t, N>;
template <int N> using Shorts = Vec<int16_t, N>;
template <int N> using Bytes = Vec<uint8_t, N>;
using Rows = const uint8_t *const *;  // the first elements of rows of x

// shuffle<N>(a, b, at): lane i of N is lane at(i) of a and b, one after the other; `at` captures nothing.
template <class Pattern, class V, int... I> INLINE auto shuffle_lanes(V a, V b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, Pattern{}(I)...);
}
template <int N, class V, class Pattern> INLINE auto shuffle(V a, V b, Pattern) {
    return shuffle_lanes<Pattern>(a, b, std::make_integer_sequence<int, N>{});
}
template <int N, class V> INLINE auto concatenate(V a, V b) {
    return shuffle<2 * N>(a, b, [](int i) { return i; });
}

// Sums of 0 .. 255 in half as many bits: of every 16 bytes first those of a, then those of b (x86: packusdw, packuswb).
// T is the narrow type, N how many of them.
template <class T, int N, class V> INLINE Vec<T, N> narrow_interleaved(V a, V b) {
    using Narrow = Vec<T, N>;
    return shuffle<N>((Narrow)a, (Narrow)b, [](int i) {
        constexpr int LANE = 16 / (int)sizeof(T);
        return i / LANE * LANE + i % (LANE / 2) * 2 + i % LANE / (LANE / 2) * N;
    });
}

// total + the sums of neighboring products, in the form in which LLVM recognizes pmaddwd.
template <int N> INLINE Ints<N> madd(Ints<N> total, Shorts<2 * N> pairs, Shorts<2 * N> weights) {
    using Wide = Ints<2 * N>;
    Wide products = convert<Wide>(pairs) * convert<Wide>(weights);
    return total +
        (shuffle<N>(products, products, [](int i) { return 2 * i; }) +
         shuffle<N>(products, products, [](int i) { return 2 * i + 1; }));
}

// A pair of weights in all lanes.
template <int N> INLINE Shorts<2 * N> broadcast_pair(const int16_t *weights) {
    return (Shorts<2 * N>)broadcast<Ints<N>>(get<int32_t>(weights));
}

// Prefetch what lies PREFETCH_DISTANCE behind row[at] .. row[end - 1]: rows that are read soon, in most images. Returns
// where to go on.
INLINE Index prefetch_far(const uint8_t *row, Index at, Index end) {
    for (; at < end; at += CACHE_LINE) prefetch(row, at + PREFETCH_DISTANCE);
    return at;
}

// Pixels `first` and following of a row, element by element. Sums wrap at 32 bits, as in vectors.
template <class T> NOINLINE void sum_pixels_exactly(const uint8_t *row, const FixedPointTaps &t, T *to, Index first) {
    for (Index j = first; j < t.w_out; j++)
        for (Index c = 0; c < t.channels; c++) {
            const uint8_t *p = row + t.offsets[j] + c;
            const int16_t *w = t.h_weights + j * t.h_taps;
            uint32_t total = (uint32_t)t.h_add;
            for (Index k = 0; k < t.h_taps; k++) total += (uint32_t)(w[k] * p[k * t.channels]);
            store<int32_t, 1>(to + j * t.channels + c, Ints<1>{(int32_t)total >> t.h_shift});
        }
}

// Two vectors of uint8 more, times a pair of weights.
template <int N> INLINE Ints<N> add_pair(Ints<N> total, const uint8_t *p, const uint8_t *r, Shorts<2 * N> weights) {
    auto pairs = shuffle<2 * N>(get<Bytes<N>>(p), get<Bytes<N>>(r), [](int i) { return i / 2 + i % 2 * N; });
    return madd<N>(total, convert<Shorts<2 * N>>(pairs), weights);
}

// Pixels of at least eight channels, which are several vectors; the last may overlap. Reads inside the row.
template <class T> INLINE void sum_many_channels(const uint8_t *row, const FixedPointTaps &t, T *to) {
    for (Index j = 0; j < t.w_out; j++)
        for (Index i = 0; i < t.channels; i += LANES) {
            i = min(i, t.channels - LANES);
            const uint8_t *p = row + t.offsets[j] + i;
            const int16_t *w = t.h_weights + j * t.h_taps;
            Ints<LANES> total = {};
            for (Index k = 0; k < t.h_taps; k += 2, p += 2 * t.channels)
                total = add_pair<LANES>(total, p, p + t.channels, broadcast_pair<LANES>(w + k));
            store<int32_t, LANES>(to + j * t.channels + i, finish<int32_t, LANES>(total, t.h_add, t.h_shift));
        }
}

// Pixels of one channel, eight at a time; the last eight may overlap. `pairs`: for eight pixels, pair after pair, the
// two weights of each. Reads inside the row. TAPS is their number, or 0 where that is not known before.
template <int TAPS, class T> INLINE void sum_gray(const uint8_t *row, const FixedPointTaps &t, T *to) {
    const Index taps = TAPS ? TAPS : t.h_taps;
    const int16_t *w = t.pairs;
    for (Index j = 0; j < t.w_out; j += LANES) {
        Index i = min(j, t.w_out - LANES);
        Ints<LANES> total = {};
        for (Index k = 0; k < taps; k += 2, w += 2 * LANES) {
            Vec<uint16_t, LANES> two;
            for (int r = 0; r < LANES; r++) two[r] = get<uint16_t>(row + t.offsets[i + r] + k);
            auto pairs = convert<Shorts<2 * LANES>>((Bytes<2 * LANES>)two);
            total = madd<LANES>(total, pairs, get<Shorts<2 * LANES>>(w));
        }
        store<int32_t, LANES>(to + i, finish<int32_t, LANES>(total, t.h_add, t.h_shift));
    }
}

// Of pixels FIRST, FIRST + STRIDE, ... and of the one behind each, four channels by turns, as int16: a zero behind each
// byte, which x86 does with the same shuffle. Pixels of three channels have a fourth, unused. N is how many int16.
template <int C, int N, int FIRST, int STRIDE, class V> INLINE Shorts<N> pixel_pairs(V v) {
    auto at = [](int i) { return i % 2 ? (int)sizeof(V) : FIRST + i / 16 * STRIDE + i / 2 % 2 * C + i / 4 % 4; };
    return (Shorts<N>)shuffle<2 * N>(v, V{}, at);
}

// Two taps more of one pixel of three or four channels. Reads eight bytes.
template <int C> INLINE Ints<4> add_two_taps(Ints<4> total, const uint8_t *p, const int16_t *pair) {
    return madd<4>(total, pixel_pairs<C, 8, 0, 0>(get<Bytes<8>>(p)), broadcast_pair<4>(pair));
}

// Four taps more of one pixel, two of them in either half of the vector. Reads 16 bytes, and 16 weights: each pair four
// times.
template <int C> INLINE Ints<8> add_four_taps(Ints<8> total, const uint8_t *p, const int16_t *w) {
    return madd<8>(total, pixel_pairs<C, 16, 0, 2 * C>(get<Bytes<16>>(p)), get<Shorts<16>>(w));
}

// Count the pixels of three or four channels that read nothing outside x by 16 bytes at a time.
INLINE Index pixels_inside(const FixedPointTaps &t, Index left) {
    Index n = t.w_out, reach = 2 * LANES + (t.h_taps - 4) * t.channels;
    while (n > 0 && reach + t.offsets[n - 1] > left) n--;
    return n;
}

// n pixels by two taps; each is stored as four elements, so a scratch row is longer than its pixels.
template <int C, int TAPS, class T>
INLINE void sum_by_two_taps(const uint8_t *row, const FixedPointTaps &t, Index n, T *to) {
    const Index taps = TAPS ? TAPS : t.h_taps;
    const int16_t *w = t.pairs;
#pragma GCC unroll 4
    for (Index j = 0; j < n; j++, w += taps) {
        const uint8_t *p = row + t.offsets[j];
        Ints<4> total = {};
        for (Index k = 0; k < taps; k += 2) total = add_two_taps<C>(total, p + k * C, w + k);
        store<int32_t, 4>(to + C * j, finish<int32_t, 4>(total, t.h_add, t.h_shift));
    }
}

// Two neighboring pixels, in either half of v; each is stored as four elements.
template <int C, class T, class V> INLINE void put_two_pixels(T *q, V v) {
    put(q, shuffle<4>(v, v, [](int lane) { return lane; }));
    put(q + C, shuffle<4>(v, v, [](int lane) { return lane + 4; }));
}

// n pixels by four taps, two pixels at a time; the last two may overlap.
template <int C, int TAPS, class T>
INLINE void sum_by_four_taps(const uint8_t *row, const FixedPointTaps &t, Index n, T *to) {
    const Index taps = TAPS ? TAPS : t.h_taps;
    Index fetched = 0;
    for (Index first = 0; first < n; first += PREFETCH_PIXELS) {
        Index last = min(first + PREFETCH_PIXELS, n);
        fetched = prefetch_far(row, fetched, t.offsets[last - 1]);
        for (Index j = first; j < last; j += 2) {
            Index i = min(j, n - 2);
            const uint8_t *p = row + t.offsets[i], *r = row + t.offsets[i + 1];
            const int16_t *w = t.pairs + 4 * taps * i;
            Ints<8> a = {}, b = {};
            for (Index k = 0; k < taps; k += 4) {
                a = add_four_taps<C>(a, p + k * C, w + 4 * k);
                b = add_four_taps<C>(b, r + k * C, w + 4 * (taps + k));
            }
            auto sums = shuffle<8>(a, b, [](int lane) { return lane % 4 + lane / 4 * 8; }) +
                shuffle<8>(a, b, [](int lane) { return lane % 4 + lane / 4 * 8 + 4; });
            put_two_pixels<C>(to + C * i, to_storage<T, int32_t, 8>(finish<int32_t, 8>(sums, t.h_add, t.h_shift)));
        }
    }
}

// Pixels of three or four channels; known tap counts leave no loop over them. Returns how many were inside x.
template <int C, class T>
INLINE Index sum_few_channels(const uint8_t *row, Index left, const FixedPointTaps &t, T *to) {
    Index n = pixels_inside(t, left);
    if (n < 2) return 0;
    if (t.h_taps == 2) sum_by_two_taps<C, 2>(row, t, n, to);
    else if (t.h_taps == 4) sum_by_four_taps<C, 4>(row, t, n, to);
    else if (t.h_taps % 4 == 0) sum_by_four_taps<C, 0>(row, t, n, to);
    else sum_by_two_taps<C, 0>(row, t, n, to);
    return n;
}

// One row of x; from its beginning to the end of x there are `left` bytes. Returns how many pixels are done, as the
// functions like it. The taps are copied: otherwise the compiler must assume that every store changes them.
template <class T> NOINLINE Index fill_scratch_row(Rows rows, Index left, const FixedPointTaps &taps, T *const *to) {
    const FixedPointTaps t = taps;
    if (t.n_pairs == 0) return 0;
    if (t.channels == 3) return sum_few_channels<3>(*rows, left, t, *to);
    if (t.channels == 4) return sum_few_channels<4>(*rows, left, t, *to);
    if (t.channels >= LANES) sum_many_channels(*rows, t, *to);
    else if (t.h_taps == 2) sum_gray<2>(*rows, t, *to);
    else sum_gray<0>(*rows, t, *to);
    return t.w_out;
}

// Four taps more of the same pixel of two rows, one row in either half of the vector. Weights as `add_four_taps`.
template <int C>
INLINE Ints<8> add_four_taps_of_rows(Ints<8> total, const uint8_t *p, const uint8_t *r, const int16_t *w) {
    auto bytes = concatenate<16>(get<Bytes<16>>(p), get<Bytes<16>>(r));
    auto first = get<Shorts<8>>(w), second = get<Shorts<8>>(w + 8);
    total = madd<8>(total, pixel_pairs<C, 16, 0, 16>(bytes), concatenate<8>(first, first));
    return madd<8>(total, pixel_pairs<C, 16, 2 * C, 16>(bytes), concatenate<8>(second, second));
}

// One pixel of each of four rows, clamped to uint8. Clang compiles the conversion to packssdw and packuswb, which clamp
// as well; for AVX-512 it takes vpmovusdb, which is slower than packs of clamped lanes, written as shuffles.
INLINE Vec<uint32_t, 4> narrow_quad(Ints<8> upper, Ints<8> lower) {
#if defined(__AVX512BW__)
    auto words = narrow_interleaved<uint16_t, 16>(clamp(upper, 0, 255), clamp(lower, 0, 255));
    auto pixels = (Vec<uint32_t, 8>)narrow_interleaved<uint8_t, 32>(words, words);  // of rows 0, 2, 0, 2, 1, 3, 1, 3
    return shuffle<4>(pixels, pixels, [](int r) { return r / 2 + r % 2 * 4; });
#else
    return (Vec<uint32_t, 4>)to_storage<uint8_t, int32_t, 16>(concatenate<8>(upper, lower));
#endif
}

// Four rows of pixels of three or four channels, by four taps: weights are loaded once for all of them. Each pixel is
// stored as four elements. Returns how many pixels of each row are done.
template <int C, int TAPS> INLINE Index sum_quad(Rows rows, Index left, const FixedPointTaps &t, uint8_t *const *to) {
    const Index n = pixels_inside(t, left), taps = TAPS ? TAPS : t.h_taps;
    const uint8_t *x0 = rows[0], *x1 = rows[1], *x2 = rows[2], *x3 = rows[3];
    uint8_t *q0 = to[0], *q1 = to[1], *q2 = to[2], *q3 = to[3];
    const auto half = broadcast<Ints<8>>((int32_t)t.h_add);
    const int32_t shift = (int32_t)t.h_shift;
    const int16_t *w = t.pairs;
    for (Index j = 0; j < n; j++) {
        Index p = t.offsets[j];
        auto upper = half, lower = half;
        for (Index k = 0; k < taps; k += 4, p += 4 * C, w += 16) {
            upper = add_four_taps_of_rows<C>(upper, x0 + p, x1 + p, w);
            lower = add_four_taps_of_rows<C>(lower, x2 + p, x3 + p, w);
        }
        auto pixels = narrow_quad(upper >> shift, lower >> shift);
        put(q0 + C * j, pixels[0]);
        put(q1 + C * j, pixels[1]);
        put(q2 + C * j, pixels[2]);
        put(q3 + C * j, pixels[3]);
    }
    return n;
}
template <int C> INLINE Index sum_quad_of(Rows rows, Index left, const FixedPointTaps &t, uint8_t *const *to) {
    if (t.h_taps == 4) return sum_quad<C, 4>(rows, left, t, to);
    if (t.h_taps == 8) return sum_quad<C, 8>(rows, left, t, to);
    return sum_quad<C, 0>(rows, left, t, to);
}
NOINLINE inline Index fill_scratch_quad(Rows rows, Index left, const FixedPointTaps &taps, uint8_t *const *to) {
    const FixedPointTaps t = taps;
    return t.channels == 3 ? sum_quad_of<3>(rows, left, t, to) : sum_quad_of<4>(rows, left, t, to);
}

}  // namespace sizewise::SIZEWISE_ISA
