// All kernels of one instruction set. Compiled once for each, with -DSIZEWISE_ISA=<name>.
#include "fixed_point.h"
#include "fused_2x2.h"
#include "nearest.h"
#include "passes.h"
#include "verified_float32.h"

namespace sizewise::SIZEWISE_ISA {

// Kernels without rows in between, and those that keep rows of type M between two passes.
#define ONE_PASS(X, O, A)                                                                      \
    {VERTICAL_ONLY, type_of<X>, type_of<O>, type_of<A>, NONE, vertical_only<X, O, A>},         \
    {HORIZONTAL_ONLY, type_of<X>, type_of<O>, type_of<A>, NONE, horizontal_only<X, O, A>}
#define TWO_PASSES(X, O, A, M)                                                                            \
    {VERTICAL_FIRST, type_of<X>, type_of<O>, type_of<A>, type_of<M>, vertical_first<X, O, A, M>},         \
    {HORIZONTAL_FIRST, type_of<X>, type_of<O>, type_of<A>, type_of<M>, horizontal_first<X, O, A, M>}
#define FUSED(X, O, A) {FUSED_2X2, type_of<X>, type_of<O>, type_of<A>, NONE, fused_2x2<X, O, A>}
#define FLOATING(X, O, A) ONE_PASS(X, O, A), TWO_PASSES(X, O, A, A), FUSED(X, O, A)
#define COPY(T, BITS) {NEAREST, BITS, BITS, NONE, NONE, nearest<T>}

static constexpr Entry ENTRIES[] = {
    FLOATING(float, float, float),
    FLOATING(half, half, float),
    FLOATING(bfloat, bfloat, float),
    FLOATING(uint8_t, uint8_t, float),
    FLOATING(uint16_t, uint16_t, float),
    FLOATING(int16_t, int16_t, float),
    FLOATING(uint8_t, float, float),
    FLOATING(uint16_t, float, float),
    FLOATING(int16_t, float, float),
    FLOATING(double, double, double),
    FLOATING(float, float, double),
    FLOATING(uint8_t, uint8_t, double),
    FLOATING(uint16_t, uint16_t, double),
    FLOATING(int16_t, int16_t, double),
    FLOATING(uint8_t, float, double),
    FLOATING(uint16_t, float, double),
    FLOATING(int16_t, float, double),
    TWO_PASSES(float, float, double, float),
    TWO_PASSES(uint8_t, uint8_t, double, uint8_t),
    ONE_PASS(uint8_t, uint8_t, int32_t),
    TWO_PASSES(uint8_t, uint8_t, int32_t, uint8_t),
    {VERTICAL_FIRST_VERIFIED, U8, U8, F64, F32, vertical_first_verified},
    {HORIZONTAL_FIRST_VERIFIED, U8, U8, F64, F32, horizontal_first_verified},
    COPY(uint8_t, BITS8),
    COPY(uint16_t, BITS16),
    COPY(uint32_t, BITS32),
    COPY(uint64_t, BITS64),
    FIXED_POINT_ENTRIES,
};

}  // namespace sizewise::SIZEWISE_ISA

#define NAME_OF(isa) #isa
#define NAME(isa) NAME_OF(isa)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

namespace sizewise {
extern const KernelTable JOIN(kernels_, SIZEWISE_ISA);
const KernelTable JOIN(kernels_, SIZEWISE_ISA) = {
    NAME(SIZEWISE_ISA), SIZEWISE_ISA::ENTRIES, sizeof SIZEWISE_ISA::ENTRIES / sizeof *SIZEWISE_ISA::ENTRIES,
#if defined(__AVX512VBMI__)
    true,
#else
    false,
#endif
};
}  // namespace sizewise
