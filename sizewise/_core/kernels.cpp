// The kernels of one instruction set. Compiled once for each, with -DSIZEWISE_ISA=<name>.
#include "fixed_point.h"
#include "fused_2x2.h"
#include "nearest.h"
#include "passes.h"

namespace sizewise::SIZEWISE_ISA {

// clang-format off
#define ENTRY(KIND, KERNEL, X, O, A, ...) \
    {KIND, #KERNEL " " #X " " #O " " #A __VA_OPT__(" ") #__VA_ARGS__, sizeof(X), sizeof(O), sizeof(A), \
     KERNEL<X, O, A __VA_OPT__(,) __VA_ARGS__>}
#define ONE_AXIS(...) \
    ENTRY(VERTICAL_ONLY, vertical_only, __VA_ARGS__), ENTRY(HORIZONTAL_ONLY, horizontal_only, __VA_ARGS__)
#define BOTH_AXES(...) ENTRY(TWO_PASSES, vertical_first, __VA_ARGS__), ENTRY(TWO_PASSES, horizontal_first, __VA_ARGS__)
#define FLOATING(X, O, A) ONE_AXIS(X, O, A), BOTH_AXES(X, O, A, A), ENTRY(FUSED_2X2, fused_2x2, X, O, A)
#define COPY(T) {NEAREST, "nearest " #T " " #T, sizeof(T), sizeof(T), 0, nearest<T>}
// clang-format on

static constexpr Entry ENTRIES[] = {
#if defined(__AVX512VBMI__)  // byte shuffles; all others are those of v4
    ENTRY(FIXED_POINT_SHUFFLED, fixed_point_shuffled, uint8, uint8, int32, int32),
    ENTRY(FIXED_POINT_SHUFFLED, fixed_point_shuffled, uint8, uint8, int16, int16),
    ENTRY(FIXED_POINT_SHUFFLED, fixed_point_shuffled, uint8, uint8, float32, float32),
    ENTRY(FIXED_POINT_PAIRS_SHUFFLED, fixed_point_pairs_shuffled, uint8, uint8, int16, uint8),
#else
    FLOATING(float32, float32, float32),
    FLOATING(float16, float16, float32),
    FLOATING(bfloat16, bfloat16, float32),
    FLOATING(uint8, uint8, float32),
    FLOATING(uint16, uint16, float32),
    FLOATING(int16, int16, float32),
    FLOATING(uint8, float32, float32),
    FLOATING(uint16, float32, float32),
    FLOATING(int16, float32, float32),
    FLOATING(float64, float64, float64),
    FLOATING(float32, float32, float64),
    FLOATING(uint8, uint8, float64),
    FLOATING(uint16, uint16, float64),
    FLOATING(int16, int16, float64),
    FLOATING(uint8, float32, float64),
    FLOATING(uint16, float32, float64),
    FLOATING(int16, float32, float64),
    BOTH_AXES(float32, float32, float64, float32),
    BOTH_AXES(uint8, uint8, float64, uint8),
    ONE_AXIS(uint8, uint8, int32),
    BOTH_AXES(uint8, uint8, int32, uint8),
    ENTRY(VERIFIED, vertical_first_verified, uint8, uint8, float64, float32),
    ENTRY(VERIFIED, horizontal_first_verified, uint8, uint8, float64, float32),
    COPY(bits8),
    COPY(bits16),
    COPY(bits32),
    COPY(bits64),
    ENTRY(FIXED_POINT, fixed_point, uint8, uint8, int32, int32),
    ENTRY(FIXED_POINT, fixed_point, uint8, uint8, int16, int16),
    ENTRY(FIXED_POINT, fixed_point, uint8, uint8, float32, float32),
    ENTRY(FIXED_POINT_2X2, fixed_point_2x2, uint8, uint8, int16),
    ENTRY(FIXED_POINT_PAIRS, fixed_point_pairs, uint8, uint8, int16, uint8),
#endif
};

extern const KernelTable kernels;
const KernelTable kernels = {ENTRIES, sizeof ENTRIES / sizeof *ENTRIES};

}  // namespace sizewise::SIZEWISE_ISA
