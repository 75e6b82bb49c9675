// The instruction sets that were built, best first, and those that this CPU has.
#pragma once
#include "core.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sizewise {

#if defined(__x86_64__)
extern const KernelTable kernels_v2, kernels_v3, kernels_v4, kernels_v4vbmi;
#elif defined(__aarch64__)
extern const KernelTable kernels_neon;
#else
extern const KernelTable kernels_generic;
#endif

#if defined(__x86_64__)
// Features of x86-64-v2, v3 and v4 as leaf 1 and leaf 7 of CPUID report them; registers must be saved by the system, too.
struct Features {
    bool v2 = false, v3 = false, v4 = false, vbmi = false;

    Features() {
        unsigned a, b, c, d, b7 = 0, c7 = 0, low = 0, high = 0, extended = 0;
        if (!__get_cpuid(1, &a, &b, &c, &d)) return;
        v2 = has(c, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B);
        if (!v2 || !has(c, bit_OSXSAVE)) return;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        unsigned ignored;
        if (!__get_cpuid_count(7, 0, &ignored, &b7, &c7, &d)) return;
        if (!__get_cpuid(0x80000001u, &ignored, &ignored, &extended, &d)) return;
        v3 = has(low, 0x6) && has(c, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE) && has(b7, bit_AVX2 | bit_BMI | bit_BMI2) && has(extended, bit_LZCNT);
        v4 = v3 && has(low, 0xE6) && has(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
        vbmi = v4 && has(c7, bit_AVX512VBMI);
    }
    static bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }
};

// Table i of those that this CPU can run, best first; nullptr behind the last.
inline const KernelTable *supported_kernels(int i) {
    static const Features cpu;
    const KernelTable *tables[] = {cpu.vbmi ? &kernels_v4vbmi : nullptr, cpu.v4 ? &kernels_v4 : nullptr,
                                   cpu.v3 ? &kernels_v3 : nullptr, cpu.v2 ? &kernels_v2 : nullptr};
    for (const KernelTable *table : tables)
        if (table && i-- == 0) return table;
    return nullptr;
}
#elif defined(__aarch64__)
inline const KernelTable *supported_kernels(int i) { return i == 0 ? &kernels_neon : nullptr; }
#else
inline const KernelTable *supported_kernels(int i) { return i == 0 ? &kernels_generic : nullptr; }
#endif

}  // namespace sizewise
