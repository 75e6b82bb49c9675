// Vectors: load, convert, multiply-add, store. Clang/GCC vector extensions; the compiler picks the instructions.
//
// A vector holds the elements that sums are formed in: float, double, int32_t or int16_t. Arrays may hold other types;
// `load` and `store` convert. Every sum is multiply, then add: built with -ffp-contract=off, so that the bits are the
// same on every CPU. Indices are not checked here; tables are, when a call object is made.
#pragma once
#include <string.h>
#include <utility>

#include "core.h"

#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

namespace sizewise::SIZEWISE_ISA {

enum { LANES = 8, CACHE_LINE = 64, MIN_PIXEL_CHANNELS = 16 };

template <class T, int N> struct VecOf { typedef T type __attribute__((vector_size(sizeof(T) * N))); };
template <class T, int N> using Vec = typename VecOf<T, N>::type;

// Element types, by the names that Python has for them. float16 and bfloat16 are stored only, summed in float32: `load`
// and `store` convert them. Elements that are moved without arithmetic are integers of their size.
using float32 = float;
using float64 = double;
using uint8 = uint8_t;
using uint16 = uint16_t;
using int16 = int16_t;
using int32 = int32_t;
using bits8 = uint8_t;
using bits16 = uint16_t;
using bits32 = uint32_t;
using bits64 = uint64_t;
struct float16 { uint16_t bits; };
struct bfloat16 { uint16_t bits; };

template <class A, class B> constexpr bool same = __is_same(A, B);
template <class T> constexpr bool is_real = same<T, float> || same<T, double>;

template <class T> INLINE T min(T a, T b) { return a < b ? a : b; }
template <class T> INLINE T max(T a, T b) { return a > b ? a : b; }
// Division that rounds up; both are positive.
INLINE Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

// As many lanes as one of the widest registers holds.
#if defined(__AVX512F__)
template <class T> constexpr int WIDE = CACHE_LINE / (int)sizeof(T);
#else
template <class T> constexpr int WIDE = CACHE_LINE / 2 / (int)sizeof(T);
#endif
// Elements in a cache line.
template <class T> constexpr Index LINE = CACHE_LINE / (Index)sizeof(T);

template <class V> INLINE V get(const void *p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <class V> INLINE void put(void *p, V v) { memcpy(p, &v, sizeof v); }

template <class To, class From> INLINE To convert(From v) { return __builtin_convertvector(v, To); }
template <class V, class T> INLINE V broadcast(T scalar) { return V{} + scalar; }

#if defined(__F16C__) || defined(__aarch64__)
template <int N> INLINE Vec<float, N> from_half(Vec<uint16_t, N> bits) {
    return convert<Vec<float, N>>((Vec<_Float16, N>)bits);
}
template <int N> INLINE Vec<uint16_t, N> to_half(Vec<float, N> v) {
    return (Vec<uint16_t, N>)convert<Vec<_Float16, N>>(v);
}
#else
// Shift into place and multiply by 2^112, the difference of the exponent biases: subnormals come out normalized.
template <int N> INLINE Vec<float, N> from_half(Vec<uint16_t, N> bits) {
    using Int = Vec<int32_t, N>;
    Int wide = convert<Int>(bits), magnitude = (wide & 0x7FFF) << 13;
    Vec<float, N> scaled = (Vec<float, N>)magnitude * 0x1p112f;
    Int special = magnitude >= (0x7C00 << 13);  // infinity or NaN
    Int value = (special & (magnitude | 0x7F800000)) | (~special & (Int)scaled);
    return (Vec<float, N>)(value | ((wide & 0x8000) << 16));
}
// Round half to even: normal values in the integer domain, subnormal ones by the addition of 0.5.
template <int N> INLINE Vec<uint16_t, N> to_half(Vec<float, N> v) {
    using Int = Vec<int32_t, N>;
    Int bits = (Int)v, magnitude = bits & 0x7FFFFFFF, sign = (bits >> 16) & 0x8000;
    Int normal = (magnitude + ((magnitude >> 13) & 1) + (int32_t)(((15u - 127u) << 23) + 0xFFF)) >> 13;
    Int subnormal = (Int)((Vec<float, N>)magnitude + 0.5f) - 0x3F000000;
    Int nan = magnitude > 0x7F800000, is_small = magnitude < (113 << 23), is_large = magnitude >= (143 << 23);
    Int large = (nan & 0x7E00) | (~nan & 0x7C00);
    Int value = (is_small & subnormal) | (~is_small & normal);
    value = (is_large & large) | (~is_large & value);
    return convert<Vec<uint16_t, N>>(value | sign);
}
#endif
template <int N> INLINE Vec<float, N> from_bfloat(Vec<uint16_t, N> bits) {
    return (Vec<float, N>)(convert<Vec<uint32_t, N>>(bits) << 16);
}
template <int N> INLINE Vec<uint16_t, N> to_bfloat(Vec<float, N> v) {
    using Bits = Vec<uint32_t, N>;
    Bits bits = (Bits)v, nan = (Bits)(v != v);
    Bits rounded = bits + ((bits >> 16) & 1) + 0x7FFF;
    return convert<Vec<uint16_t, N>>(((nan & 0x7FC00000u) | (~nan & rounded)) >> 16);
}

// N elements as a vector of A: exact, or rounded once, half to even.
template <class A, int N, class T> INLINE Vec<A, N> load(const T *p) {
    if constexpr (same<T, float16>) return from_half<N>(get<Vec<uint16_t, N>>(p));
    else if constexpr (same<T, bfloat16>) return from_bfloat<N>(get<Vec<uint16_t, N>>(p));
    else if constexpr (same<T, A>) return get<Vec<A, N>>(p);
    else if constexpr (sizeof(T) >= 4 || !is_real<A>) return convert<Vec<A, N>>(get<Vec<T, N>>(p));
    else return convert<Vec<A, N>>(convert<Vec<int32_t, N>>(get<Vec<T, N>>(p)));  // which every CPU converts
}

// The range of an integer type of 8 or 16 bits.
template <class T> constexpr int32_t MIN_VALUE = (T)-1 < 0 ? -1 << (8 * sizeof(T) - 1) : 0;
template <class T> constexpr int32_t MAX_VALUE = MIN_VALUE<T> + (1 << 8 * sizeof(T)) - 1;

// Adding it rounds half to even and leaves the integer in the low bits.
template <class A> constexpr A MAGIC = sizeof(A) == 8 ? (A)0x1.8p52 : (A)0x1.8p23;

template <class V, class T> INLINE V clamp(V v, T low, T high) {
    V lower = broadcast<V>(low), upper = broadcast<V>(high);
    v = v < lower ? lower : v;
    return v > upper ? upper : v;
}

template <class A> using IntOf = std::conditional_t<sizeof(A) == 8, int64_t, int32_t>;

// Convert a vector of sums to the storage type T: rounded half to even, clamped to the range of integers.
template <class T, class A, int N> INLINE auto to_storage(Vec<A, N> v) {
    if constexpr (same<T, float16>) return to_half<N>(v);
    else if constexpr (same<T, bfloat16>) return to_bfloat<N>(v);
    else if constexpr (same<T, A>) return v;
    else if constexpr (is_real<T>) return convert<Vec<T, N>>(v);
    else if constexpr (!is_real<A>) return convert<Vec<T, N>>(clamp(v, (A)MIN_VALUE<T>, (A)MAX_VALUE<T>));
    else return convert<Vec<T, N>>((Vec<IntOf<A>, N>)(clamp(v, (A)MIN_VALUE<T>, (A)MAX_VALUE<T>) + MAGIC<A>));
}

template <class A, int N, class T> INLINE void store(T *p, Vec<A, N> v) { put(p, to_storage<T, A, N>(v)); }

// Non-temporal store: bypasses the caches. p is a multiple of the stored bytes.
template <class V> INLINE void stream_vector(void *p, V v) {
#if defined(__clang__)
    __builtin_nontemporal_store(v, (V *)p);
#elif defined(__AVX__)  // GCC has no builtin for vectors of any size
    using Half = Vec<long long, 4>;
    if constexpr (sizeof(V) % sizeof(Half) != 0) return put(p, v);
    for (size_t i = 0; i < sizeof(V); i += sizeof(Half))
        __builtin_ia32_movntdq256((Half *)((char *)p + i), get<Half>((const char *)&v + i));
#else
    put(p, v);
#endif
}

template <bool STREAM, class A, int N, class T> INLINE void store_or_stream(T *p, Vec<A, N> v) {
    if constexpr (STREAM) stream_vector(p, to_storage<T, A, N>(v));
    else store<A, N>(p, v);
}

// Copy a cache line to an aligned address, bypassing the caches.
template <class T> INLINE void stream_line(const T *p, T *q) {
    using Piece = Vec<uint8_t, WIDE<uint8_t>>;
    for (Index i = 0; i < CACHE_LINE; i += (Index)sizeof(Piece))
        stream_vector((char *)q + i, get<Piece>((const char *)p + i));
}

// Order non-temporal stores before what other threads read (`sfence` on x86).
INLINE void fence_streams() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Address of element i, inside the array or not.
template <class T> INLINE const T *address_of(const T *x, Index i) {
    return (const T *)((uintptr_t)x + (uintptr_t)i * sizeof(T));
}
// Prefetch it into the second-level cache.
template <class T> INLINE void prefetch(const T *x, Index i) { __builtin_prefetch(address_of(x, i), 0, 2); }

// Elements from p to the next cache line; 0 if p is aligned.
template <class T> INLINE Index to_next_line(const T *p) {
    return (Index)((-(uintptr_t)p & (CACHE_LINE - 1)) / sizeof(T));
}
template <class T> INLINE bool fills_lines(const T *p, Index n) { return to_next_line(p) == 0 && n % LINE<T> == 0; }

// A fixed-point sum is finished by (sum + add) >> shift; a floating one is final. (For means see `Finish`.)
template <class A, int N> INLINE Vec<A, N> finish(Vec<A, N> sum, Index add, Index shift) {
    if constexpr (is_real<A>) return sum;
    else return (sum + (A)add) >> (A)shift;
}

// Bit r is set if lane r is NaN.
template <class A, int N> INLINE unsigned nan_lanes(Vec<A, N> v) {
    unsigned lanes = 0;
    if constexpr (is_real<A>)
        for (int r = 0; r < N; r++) lanes |= (unsigned)(v[r] != v[r]) << r;
    return lanes;
}

// Transpose eight vectors in three rounds: pairs of lanes, pairs of pairs, halves. The patterns are single instructions
// of x86 (unpack, shuffle, permute halves); other CPUs have equally cheap forms.
template <class A> INLINE void transpose(Vec<A, 8> *v) {
    Vec<A, 8> m[8];
    for (int i = 0; i < 8; i += 2) {
        m[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        m[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i++)
        if (!(i & 2)) {
            v[i] = __builtin_shufflevector(m[i], m[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            v[i + 2] = __builtin_shufflevector(m[i], m[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        m[i] = __builtin_shufflevector(v[i], v[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        m[i + 4] = __builtin_shufflevector(v[i], v[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    // Rounds 1 and 2 leave rows 1 and 2 (and 5 and 6) swapped.
    v[0] = m[0], v[1] = m[2], v[2] = m[1], v[3] = m[3];
    v[4] = m[4], v[5] = m[6], v[6] = m[5], v[7] = m[7];
}

}  // namespace sizewise::SIZEWISE_ISA
