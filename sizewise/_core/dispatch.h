// The instruction sets that were built, best first, and which of them this CPU has.
#pragma once
#include "core.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sizewise {

struct InstructionSet {
    const char *name;
    bool is_supported;
    const KernelTable *kernels, *others = nullptr;  // `others` has what `kernels` lacks

    const Entry *find(const char *kernel) const {
        const Entry *entry = kernels->find(kernel);
        return entry || !others ? entry : others->find(kernel);
    }
};

#if defined(__x86_64__)
namespace v2 { extern const KernelTable kernels; }
namespace v3 { extern const KernelTable kernels; }
namespace v4 { extern const KernelTable kernels; }
namespace v4vbmi { extern const KernelTable kernels; }

// Features of x86-64-v2, v3 and v4 as CPUID reports them; registers must be saved by the system, too.
struct Features {
    bool v2 = false, v3 = false, v4 = false, vbmi = false;

    Features() noexcept {
        unsigned a, b, c, d, b7 = 0, c7 = 0, low = 0, high = 0, extended = 0;
        if (!__get_cpuid(1, &a, &b, &c, &d)) return;
        v2 = has(c, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B);
        if (!v2 || !has(c, bit_OSXSAVE)) return;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d) || !__get_cpuid(0x80000001u, &a, &b, &extended, &d)) return;
        bool has_avx = has(c, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE) && has(b7, bit_AVX2 | bit_BMI | bit_BMI2);
        v3 = has(low, 0x6) && has_avx && has(extended, bit_LZCNT);
        v4 = v3 && has(low, 0xE6) && has(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
        vbmi = v4 && has(c7, bit_AVX512VBMI);
    }
    static bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }
};

static const Features CPU;
static const InstructionSet INSTRUCTION_SETS[] = {
    {"v4vbmi", CPU.vbmi, &v4vbmi::kernels, &v4::kernels},
    {"v4", CPU.v4, &v4::kernels},
    {"v3", CPU.v3, &v3::kernels},
    {"v2", CPU.v2, &v2::kernels},
};
#elif defined(__aarch64__)
namespace neon { extern const KernelTable kernels; }
static const InstructionSet INSTRUCTION_SETS[] = {{"neon", true, &neon::kernels}};
#else
namespace generic { extern const KernelTable kernels; }
static const InstructionSet INSTRUCTION_SETS[] = {{"generic", true, &generic::kernels}};
#endif

}  // namespace sizewise
